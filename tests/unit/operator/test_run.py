"""The staged call: its order, the caller's buffers, and that nothing is written when a check fails."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import cannery
from cannery.core import AclnnStatus, AtbStatus, GeStatus, OperatorError, Stage
from cannery.operator import ACLNN, ATB, GE, Contract, UnknownOperatorError
from cannery.soc import UnknownSocError

STAGES = ["check", "infer_shape", "tiling", "launch"]


def run(*inputs: Any, **options: Any) -> Any:
    return cannery.run("RecordCalls", inputs, **options)


def test_the_stages_run_once_and_in_order(registered: Any) -> None:
    x = torch.rand(2, 3)
    result = run(x, attrs={"q_seq_len": [1, 2]})
    assert registered.log == STAGES
    assert torch.equal(result[0], x)
    assert (result.tiling.key, result.tiling.data, result.findings) == (3, b"tiling", ("found",))
    assert result.context.attrs["qSeqLen"] == (1, 2)


@pytest.mark.parametrize("stage", STAGES)
def test_a_failing_stage_ends_the_call_with_nothing_written(stage: str, registered: Any) -> None:
    registered.fail_at = stage
    y = torch.full((2,), 7.0)
    with pytest.raises(ZeroDivisionError):
        run(torch.zeros(2), outputs=[y])
    assert registered.log == STAGES[: STAGES.index(stage) + 1]
    assert y.tolist() == [7, 7]


def test_a_result_unpacks_into_its_outputs(registered: Any) -> None:
    result = run(torch.ones(2))
    (y,) = result
    assert y is result[0] and len(result) == 1


def test_a_result_is_short_in_print(registered: Any) -> None:
    text = repr(run(torch.ones(2)))
    assert "outputs=" in text and "OperatorDefinition" not in text and len(text) < 300


def test_inputs_and_outputs_may_be_given_by_name(registered: Any) -> None:
    x, b, y = torch.ones(2), torch.full((2,), 2.0), torch.zeros(2)
    result = cannery.run("RecordCalls", {"b": b, "x": x}, outputs={"y": y})
    assert result[0] is y and y.tolist() == [3, 3]


@pytest.mark.parametrize("inputs", [lambda x: [x], lambda x: [x, None], lambda x: {"x": x}, lambda x: (x,)])
def test_an_optional_input_may_be_absent(inputs: Any, registered: Any) -> None:
    assert cannery.run("RecordCalls", inputs(torch.ones(2)))[0].tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.uint16])
def test_a_numpy_buffer_is_written_in_place_and_given_back(dtype: Any, registered: Any) -> None:
    x, y = np.arange(3).astype(dtype), np.zeros(3, dtype)
    result = run(x, outputs=[y])
    assert result[0] is y
    assert y.tobytes() == x.tobytes()


def test_fresh_memory_holds_the_fill_before_the_launch(registered: Any) -> None:
    assert run(torch.ones(2), engine="other", fill=1)[0].tolist() == [1, 1]
    assert run(torch.ones(2), engine="other")[0].tolist() == [0, 0]


def test_a_buffer_keeps_what_the_engine_does_not_write(registered: Any) -> None:
    y = torch.tensor([5.0, 6.0])
    assert run(torch.ones(2), engine="other", outputs=[y])[0].tolist() == [5, 6]


def test_inputs_may_be_views_and_read_only(registered: Any) -> None:
    array = np.arange(6.0, dtype=np.float32).reshape(2, 3).T
    array.flags.writeable = False
    assert run(array)[0].tolist() == array.tolist()
    assert run(array[::-1])[0].tolist() == array[::-1].tolist()
    assert run(torch.ones(1, 2).expand(3, 2))[0].tolist() == [[1, 1]] * 3


def test_a_call_leaves_no_trace_for_autograd(registered: Any) -> None:
    assert run(torch.ones(2, requires_grad=True))[0].requires_grad is False


def _read_only() -> np.ndarray:
    array = np.zeros(2, np.float32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("buffer", "text"),
    [
        (torch.zeros(4)[::2], "not contiguous"),
        (torch.zeros(1).expand(2), "not contiguous"),
        (np.zeros(4, np.float32)[::2], "not contiguous"),
        (_read_only(), "read-only"),
        (np.broadcast_to(np.zeros(1, np.float32), 2), "read-only|not contiguous"),
        (np.zeros(2, np.float32)[::-1], "not contiguous"),
        (torch.zeros(2, device="meta"), "y: found a buffer on meta, expected one on cpu"),
    ],
)
def test_a_buffer_that_cannot_be_written_is_refused(buffer: Any, text: str, registered: Any) -> None:
    with pytest.raises(OperatorError, match=text) as caught:
        run(torch.ones(2), outputs=[buffer])
    assert caught.value.parameter == "y"
    assert "launch" not in registered.log


@pytest.mark.parametrize(
    ("inputs", "outputs", "text"),
    [
        ([[1, 2]], None, "x: found list, expected a dense torch.Tensor or numpy.ndarray"),
        (["x"], None, "x: found str, expected"),
        ([np.array(["a"])], None, "x: found ndarray <U1, expected"),
        ([torch.eye(2).to_sparse()], None, r"x: found Tensor torch\.float32 torch\.sparse_coo, expected"),
        ({"z": torch.ones(2)}, None, "inputs: found 'z', expected names among b, x"),
        ("ab", None, "inputs: found str"),
        (3, None, "inputs: found int"),
        (torch.ones(2), None, "inputs: found Tensor, expected a list"),
        ([torch.ones(2)], [3], "y: found int"),
        ([torch.ones(2)], {"x": torch.ones(2)}, "outputs: found 'x'"),
        ([torch.ones(2)], torch.ones(2), "outputs: found Tensor"),
    ],
)
def test_what_is_no_tensor_is_refused_by_name(inputs: Any, outputs: Any, text: str, registered: Any) -> None:
    with pytest.raises(OperatorError, match=text) as caught:
        cannery.run("RecordCalls", inputs, outputs=outputs)
    assert "\n" not in str(caught.value)
    assert "launch" not in registered.log


def test_an_output_that_fits_no_memory_is_an_error_of_the_launch() -> None:
    with pytest.raises(OperatorError, match="not enough memory") as caught:
        cannery.run("UpdateTensorDesc", [torch.zeros(1)], {"shape": [3037000499] * 2})
    assert caught.value.stage is Stage.LAUNCH


@pytest.mark.parametrize(
    ("contract", "stage", "code"),
    [
        (ATB, Stage.INFER_SHAPE, AtbStatus.ERROR_INVALID_IN_TENSOR_NUM),
        (GE, Stage.CHECK, GeStatus.GRAPH_PARAM_INVALID),
        (ACLNN, Stage.CHECK, AclnnStatus.ACLNN_ERR_PARAM_NULLPTR),
    ],
)
@pytest.mark.parametrize("inputs", [[], [None], [torch.ones(2)] * 3, {}])
def test_a_wrong_number_of_inputs_has_the_frameworks_stage_and_code(
    contract: Contract, stage: Stage, code: int, inputs: Any, recorder: Any, entry_point: Any
) -> None:
    entry_point("record", recorder.operator(contract=contract))
    with pytest.raises(OperatorError) as caught:
        cannery.run("RecordCalls", inputs)
    assert (caught.value.stage, caught.value.code) == (stage, code)
    assert "tiling" not in recorder.log


@pytest.mark.parametrize("outputs", [[], [None] * 2, [torch.zeros(2)] * 2])
def test_a_wrong_number_of_outputs_is_refused_before_tiling(outputs: Any, registered: Any) -> None:
    with pytest.raises(OperatorError, match=r"outputs: found [02] buffers, expected 1") as caught:
        run(torch.ones(2), outputs=outputs)
    assert caught.value.stage is Stage.TILING
    assert "tiling" not in registered.log


def test_a_chip_without_a_kernel_is_refused(registered: Any) -> None:
    with pytest.raises(OperatorError, match="soc: found Ascend310P3, expected a chip of Ascend910B, Ascend950"):
        run(torch.ones(2), soc="Ascend310P3")
    assert registered.log == []


def test_the_default_chip_is_the_operators_first(registered: Any) -> None:
    assert run(torch.ones(2)).context.soc.name == "Ascend910B1"
    assert run(torch.ones(2), soc="3510").context.soc.name == "Ascend950PR_9589"
    limited = cannery.soc("Ascend950", aic_cores=3)
    assert run(torch.ones(2), soc=limited).context.soc.aic_cores == 3


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"engine": "fast"}, ValueError, "engine: found 'fast', expected one of eager, other"),
        ({"engine": 3}, ValueError, "engine: found 3, expected the name of an engine"),
        ({"quirks": "false"}, ValueError, "quirks: found 'false', expected True or False"),
        ({"soc": "Ascend9999"}, UnknownSocError, "nearest"),
        ({"attrs": {"axis": "1"}}, OperatorError, "axis: found '1', expected an integer"),
    ],
)
def test_a_wrong_option_is_refused_before_any_stage(options: Any, error: Any, text: str, registered: Any) -> None:
    with pytest.raises(error, match=text):
        run(torch.ones(2), **options)
    assert registered.log == []


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(UnknownOperatorError):
        cannery.run("NoSuchOperator", [])

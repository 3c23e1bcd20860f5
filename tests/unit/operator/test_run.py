"""The staged call: its order, the caller's buffers, and that nothing is written when a check fails."""

import math
import warnings
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import cannery
from cannery.core import AclnnStatus, AtbStatus, DataType, GeStatus, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import (
    ACLNN,
    ATB,
    GE,
    Contract,
    DefinitionError,
    FindingError,
    FindingWarning,
    Quirk,
    UnknownOperatorError,
    staged,
)
from cannery.soc import UnknownSocError

from .conftest import Found

DESC = TensorDesc(DataType.DT_FLOAT, Shape((2,)))
STAGES = ["check", "infer_shape", "tiling", "launch"]


def run(*inputs: Any, **options: Any) -> Any:
    return cannery.run("RecordCalls", inputs, **options)


def test_the_stages_run_once_and_in_order(registered: Any) -> None:
    x = torch.rand(2, 3)
    result = run(x, attrs={"q_seq_len": [1, 2]})
    assert registered.log == STAGES
    assert torch.equal(result[0], x)
    assert (result.tiling.key, result.tiling.data, list(map(str, result.findings))) == (3, b"tiling", ["found"])
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


@pytest.mark.parametrize("quirks", [False, True])
@pytest.mark.parametrize(
    ("buffer", "found"),
    [
        (torch.full((9,), 7.0), "float32 [9]"),
        (torch.full((1, 2), 7.0), "float32 [1, 2]"),
        (torch.full((), 7.0), "float32 []"),
        (torch.full((2,), 7.0, dtype=torch.float16), "float16 [2]"),
        (torch.full((2,), 7, dtype=torch.int32), "int32 [2]"),
        (np.full(9, 7, np.float32), "float32 [9]"),
    ],
)
def test_a_buffer_that_is_not_what_is_inferred_is_refused_and_not_touched(
    buffer: Any, found: str, quirks: bool, registered: Any
) -> None:
    before, shape = buffer.tolist(), buffer.shape
    with pytest.raises(OperatorError) as caught:
        run(torch.ones(2), outputs=[buffer], quirks=quirks)
    facts = (caught.value.stage, *caught.value.facts)
    assert facts == (Stage.TILING, "y", found, "float32 [2], as inferred")
    assert (buffer.tolist(), buffer.shape) == (before, shape)
    assert "launch" not in registered.log


def test_a_definition_may_judge_buffers_itself(recorder: Any, entry_point: Any) -> None:
    entry_point("record", recorder.operator(keeps_buffers=True))
    y = torch.zeros(3, 2)
    assert run(torch.ones(2), outputs=[y])[0].tolist() == [[1, 1]] * 3


def test_originals_that_judge_no_buffers_do_so_with_quirks(recorder: Any, entry_point: Any) -> None:
    entry_point("record", recorder.operator(quirks=(Quirk("buffers", "refused", "written"),)))
    y = torch.zeros(3, 2)
    with pytest.raises(OperatorError, match=r"y: found float32 \[3, 2\]"):
        run(torch.ones(2), outputs=[y])
    assert run(torch.ones(2), outputs=[y], quirks=True)[0] is y


@pytest.mark.parametrize("has_registration", [False, True])
def test_a_chip_that_the_definition_does_not_name_is_refused(
    has_registration: bool, recorder: Any, entry_point: Any
) -> None:
    changes: dict[str, Any] = {} if has_registration else {"aicore": None}
    entry_point("record", recorder.operator(**changes))
    with pytest.raises(OperatorError, match="check: soc: found Ascend310P3, expected a chip of Ascend910B, Ascend950"):
        run(torch.ones(2), soc="Ascend310P")
    assert run(torch.ones(2), soc="Ascend950")[0].tolist() == [1, 1]


def test_errors_among_the_findings_are_warned_of_where_the_call_stands(registered: Any) -> None:
    registered.findings = [Found("warning", "a"), Found("error", "b"), Found("error", "c")]
    with pytest.warns(FindingWarning, match="RecordCalls on eager: found 2 errors, the first: b; do not use") as caught:
        result = cannery.run("RecordCalls", [torch.ones(2)])
    assert [str(finding) for finding in result.findings] == ["a", "b", "c"]
    assert caught[0].filename == __file__


def test_errors_among_the_findings_raise_on_request_or_pass(registered: Any) -> None:
    registered.findings = [Found("error", "b")]
    with pytest.raises(FindingError, match="RecordCalls on eager: found 1 error, the first: b") as caught:
        run(torch.ones(2), on_error="raise")
    assert caught.value.findings == tuple(registered.findings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(torch.ones(2), on_error="ignore").findings == tuple(registered.findings)
        registered.findings = [Found("warning", "b")]
        run(torch.ones(2), on_error="raise")


def test_an_unknown_reaction_is_refused_before_anything_runs(registered: Any) -> None:
    with pytest.raises(ValueError, match="on_error: found 'shout', expected one of warn, raise, ignore"):
        run(torch.ones(2), on_error="shout")
    assert registered.log == []


@pytest.mark.parametrize("fill", [1 << 70, math.nan, -math.inf])
def test_a_filling_that_the_output_cannot_hold_is_refused(fill: float) -> None:
    with pytest.raises(ValueError, match=r"fill: found .*, expected a number that int64 can hold"):
        cannery.run("UpdateTensorDesc", [torch.ones(2, 3)], {"shape": [4, 8, 4]}, fill=fill)


def test_a_stage_that_is_none_before_the_launch_is_refused(recorder: Any) -> None:
    with pytest.raises(ValueError, match=r"until: found .*LAUNCH.*, expected one of Stage.CHECK, "):
        staged.prepare(recorder.operator(), [], until=Stage.LAUNCH)


def test_a_filling_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="fill: found 'a', expected a number"):
        cannery.run("UpdateTensorDesc", [torch.ones(2, 3)], {"shape": [4, 8, 4]}, fill="a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stage", "value", "text"),
    [
        ("check", False, "check: what check returns: found bool False, expected None"),
        ("infer_shape", None, "infer_shape: what infer_shape returns: found None, expected a tuple of 1 TensorDesc"),
        ("infer_shape", DESC, "infer_shape: what infer_shape returns: found TensorDesc .*, expected a tuple of 1"),
        ("infer_shape", (DESC, DESC), "infer_shape: what infer_shape returns: found tuple .*, expected a tuple of 1"),
        ("infer_shape", (), "infer_shape: what infer_shape returns: found tuple .*, expected a tuple of 1"),
        ("infer_shape", ([2],), "infer_shape: what infer_shape returns: found tuple .*, expected a tuple of 1"),
        ("tiling", None, "tiling: what tiling returns: found None, expected a TilingResult"),
        ("launch", torch.ones(2), "launch: what launch returns: found Tensor .*, expected None or a list of findings"),
        ("launch", (torch.ones(2),), "launch: what launch returns: found tuple .*, expected None or a list of findin"),
        ("launch", True, "launch: what launch returns: found bool True, expected None or a list of findings"),
    ],
)
def test_what_a_stage_gives_back_is_held(stage: str, value: Any, text: str, recorder: Any, entry_point: Any) -> None:
    operator = recorder.operator()
    wrong = {"engines": {"eager": lambda *args: value}} if stage == "launch" else {stage: lambda context: value}
    entry_point("record", replace(operator, **wrong))
    with pytest.raises(OperatorError, match=f"^RecordCalls: {text}"):
        run(torch.ones(2))


def test_a_stage_and_a_code_that_are_none_are_named(recorder: Any, entry_point: Any) -> None:
    def check(context: Any) -> None:
        raise context.error(*given)

    entry_point("record", replace(recorder.operator(), check=check))
    given: tuple[Any, ...] = ("check", "x", 1, 2)
    with pytest.raises(DefinitionError, match=r"RecordCalls: context\.error: stage: found 'check', expected a member"):
        run(torch.ones(2))
    given = (Stage.CHECK, "x", 1, 2, 5)
    with pytest.raises(DefinitionError, match=r"RecordCalls: context\.error: code: found 5, expected a member"):
        run(torch.ones(2))


def test_an_input_that_check_asks_for_too_early_is_refused_by_name(recorder: Any, entry_point: Any) -> None:
    entry_point("record", replace(recorder.operator(), check=lambda context: context.required("x") and None))
    with pytest.raises(OperatorError, match=r"x: found nothing, expected a tensor .* belong in infer_shape") as caught:
        run()
    assert caught.value.code is AtbStatus.ERROR_INVALID_IN_TENSOR_NUM


def test_an_input_that_the_definition_has_not_is_named(recorder: Any, entry_point: Any) -> None:
    entry_point("record", replace(recorder.operator(), check=lambda context: context.input("z") and None))
    with pytest.raises(KeyError, match="RecordCalls: inputs: found 'z', expected one of x, b"):
        run(torch.ones(2))


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


def test_tensors_on_several_devices_are_refused_before_the_engine() -> None:
    halves = [torch.ones(256, dtype=torch.float16, device=device) for device in ("cpu", "meta")]
    with pytest.raises(ValueError, match="FastSoftMaxGrad: found tensors on cpu and meta, expected all on one device"):
        cannery.run("FastSoftMaxGrad", halves, {"headNum": 1, "qSeqLen": [16]})

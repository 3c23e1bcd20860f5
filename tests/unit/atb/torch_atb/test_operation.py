"""torch_atb.Operation: forward, refusals, profiles."""

import threading
from typing import Any

import pytest
import torch

import cannery
from cannery.atb import torch_atb
from cannery.atb.torch_atb._operation import thread


def unpad(lengths: list[int], limit: int) -> Any:
    return torch_atb.Operation(torch_atb.UnpadWithHiddenStateParam(q_seq_len=lengths, max_seq_len=limit))


def refusal(call: Any) -> Any:
    with pytest.raises(RuntimeError) as caught:
        call()
    assert isinstance(caught.value, torch_atb.AtbError)
    return caught.value


def test_forward_gives_what_run_gives() -> None:
    x = torch.randn(2, 6, 5).half()
    operation = unpad([4, 2], 6)
    assert (operation.name, operation.input_num, operation.output_num) == ("UnpadWithHiddenStateOperation", 1, 1)
    for tensor in (x, x.transpose(0, 1).contiguous().transpose(0, 1)):
        (out,) = operation.forward([tensor])
        assert torch.equal(out, cannery.run("UnpadWithHiddenState", [x], {"qSeqLen": [4, 2], "maxSeqLen": 6})[0])


def test_every_forward_gives_new_tensors() -> None:
    operation = unpad([1], 1)
    first = operation.forward([torch.ones(1, 1, 2).half()])[0]
    operation.forward([torch.zeros(1, 1, 2).half()])
    assert first.tolist() == [[1, 1]]


def test_padding_is_zero() -> None:
    pad = torch_atb.Operation(torch_atb.PadWithHiddenStateParam([1], 3))
    assert pad.forward([torch.ones(1, 2).half()])[0].tolist() == [[[1, 1], [0, 0], [0, 0]]]


def test_several_inputs_and_outputs_come_in_order() -> None:
    inputs = [torch.randn(2, 3), torch.randn(2, 3), torch.rand(2), torch.randn(3)]
    made = torch_atb.Operation(torch_atb.RmsNormBackwardParam()).forward(inputs)
    expected = cannery.run("RmsNormBackward", inputs)
    assert all(torch.equal(a, b) for a, b in zip(made, expected, strict=True))


def test_a_refused_parameter_says_code_and_reason() -> None:
    error = refusal(lambda: unpad([0], 4))
    assert (error.stage.letter, error.code.name, error.parameter) == ("C", "ERROR_INVALID_PARAM", "qSeqLen[0]")
    assert "found 0, expected 1 to 4 [ERROR_INVALID_PARAM, 1]" in str(error)


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ([], 5),
        ([torch.zeros(1, 4, 2).half()] * 2, 5),
        ([torch.zeros(4, 2).half()], 8),
        ([torch.zeros(2, 4, 2).half()], 9),
        ([torch.zeros(1, 4, 0).half()], 9),
        ([torch.zeros(1, 4, 2)], 13),
        ([torch.zeros(1, 4, 2).double()], 13),
    ],
)
def test_a_refused_call_says_code_and_reason(inputs: list[torch.Tensor], code: int) -> None:
    error = refusal(lambda: unpad([3], 4).forward(inputs))
    assert (error.stage.letter, error.code.value) == ("I", code)


@pytest.mark.parametrize("inputs", [[None], [1], [torch.zeros((1,) * 9)]])
def test_what_is_no_tensor_or_has_more_than_8_dims_is_refused(inputs: list[Any]) -> None:
    with pytest.raises(RuntimeError, match=r"UnpadWithHiddenStateOperation: inputs\[0\]"):
        unpad([3], 4).forward(inputs)


def test_run_times_are_kept_by_name() -> None:
    stats, name = torch_atb.Prof.get_prof_stats(), "UnpadWithHiddenStateOperation"
    before = len(stats.get_run_time_stats(name))
    unpad([1], 1).forward([torch.ones(1, 1, 2).half()])
    assert len(stats.get_run_time_stats(name)) == before + 1
    assert stats.get_run_time_stats("NobodyOperation") == []
    assert stats is torch_atb.Prof.get_prof_stats()


def test_the_workspace_buffer_grows_in_kib() -> None:
    torch_atb.set_buffer_size(1500)
    assert thread().buffer_size == 2048
    for bad in (0, -1, 1.5, "1"):
        with pytest.raises(RuntimeError, match="set_buffer_size"):
            torch_atb.set_buffer_size(bad)  # type: ignore[arg-type]
    torch_atb.set_buffer_size(100 * 1024 * 1024)


def test_threads_have_contexts_of_their_own() -> None:
    found: list[Any] = []

    def work() -> None:
        out = unpad([2, 1], 2).forward([torch.ones(2, 2, 3).half()])[0]
        found.append((thread().local.context, out.sum().item()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len({id(context) for context, _ in found}) == 4
    assert {total for _, total in found} == {9.0}


def test_equal_operations_one_after_the_other_use_one_runner() -> None:
    x = torch.ones(1, 1, 2).half()
    before = thread().local.context.counters
    for _ in range(5):
        unpad([1], 1).forward([x])
    after = thread().local.context.counters
    assert after.constructed - before.constructed <= 1
    assert after.replayed - before.replayed >= 4


def test_the_home_path_is_the_packages_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert torch_atb.get_atb_home_path().endswith("torch_atb")
    assert torch_atb.AclDataType.ACL_FLOAT16 == 1  # type: ignore[attr-defined]
    assert torch_atb.AclFormat.ACL_FORMAT_ND == 2  # type: ignore[attr-defined]

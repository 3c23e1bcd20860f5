"""UnpadWithHiddenState and PadWithHiddenState on the rows of ATB's own case files and high-level tests.

Source: ascend-transformer-boost `tests/apitest/opstest/csv/{pad,unpad}_with_hidden_state.csv`,
`tests/high_level_test/` and `tests/unittest/` @ddcc8b6. An outcome is spelled as there:
`stage:ERROR`, or NO_ERROR.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import cannery
from cannery import Format, OperatorError, RunResult, Tensor

UNPAD, PAD = "UnpadWithHiddenState", "PadWithHiddenState"
BOTH = pytest.mark.parametrize("name", [UNPAD, PAD])


def outcome(call: Callable[[], RunResult]) -> str:
    try:
        call()
    except OperatorError as error:
        return f"{error.stage.letter}:{error.code.name}"
    return "NO_ERROR"


def zeros(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """Pages that nobody touches cost nothing, however large the tensor."""
    return torch.from_numpy(np.zeros((*shape, dtype.itemsize), np.uint8)).view(dtype)[..., 0]


def x_for(name: str, lengths: list[int], max_seq_len: int, hidden: int, dtype: torch.dtype = torch.float16) -> Any:
    shape = (len(lengths), max_seq_len, hidden) if name == UNPAD else (sum(lengths), hidden)
    return zeros(*shape, dtype=dtype)


def ragged(lengths: list[int], max_seq_len: int, hidden: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A padded batch with random rows and zero padding, and the same rows packed."""
    padded = zeros(len(lengths), max_seq_len, hidden)
    for sample, length in zip(padded, lengths, strict=True):
        sample[:length].uniform_(-100, 100)
    return padded, torch.cat([sample[:length] for sample, length in zip(padded, lengths, strict=True)])


@pytest.mark.parametrize("lengths", [[8, 8], [487, 16, 532, 413]])
def test_rows_1_and_2_move_every_row_and_zero_the_padding(lengths: list[int]) -> None:
    padded, packed = ragged(lengths, 4096, 4096)
    assert torch.equal(cannery.run(UNPAD, [padded], {"qSeqLen": lengths})[0], packed)
    assert torch.equal(cannery.run(PAD, [packed], {"qSeqLen": lengths})[0], padded)


@BOTH
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        pytest.param(lambda x: [zeros(16)], "I:ERROR_INVALID_TENSOR_DIM", id="row 3: one dim"),
        pytest.param(lambda x: [x, x], "I:ERROR_INVALID_IN_TENSOR_NUM", id="row 4: two inputs"),
        pytest.param(lambda x: [x.int()], "I:ERROR_INVALID_TENSOR_INI_MATCH", id="row 5: int32"),
        pytest.param(
            lambda x: [Tensor(x, Format.FORMAT_NCDHW)], "I:ERROR_INVALID_TENSOR_INI_MATCH", id="row 6: format ncdhw"
        ),
    ],
)
def test_rows_3_to_6_are_refused_at_infer_shape(name: str, inputs: Callable[[Any], list[Any]], expected: str) -> None:
    x = x_for(name, [8, 8], 16, 32)
    assert outcome(lambda: cannery.run(name, inputs(x), {"qSeqLen": [8, 8], "maxSeqLen": 16})) == expected


@BOTH
@pytest.mark.parametrize("attrs", [{"qSeqLen": []}, {"qSeqLen": [0]}, {"qSeqLen": [8, 8], "rsv": [1]}])
def test_rows_7_to_9_are_refused_at_create_without_any_tensor(name: str, attrs: dict[str, Any]) -> None:
    assert outcome(lambda: cannery.run(name, [], attrs)) == "C:ERROR_INVALID_PARAM"


@BOTH
@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({"qSeqLen": [2] * 32, "maxSeqLen": 2}, "NO_ERROR"),
        ({"qSeqLen": [2] * 33, "maxSeqLen": 2}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [-1], "maxSeqLen": 2}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [2, 0], "maxSeqLen": 2}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [4096], "maxSeqLen": 4096}, "NO_ERROR"),
        ({"qSeqLen": [1], "maxSeqLen": 4097}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [1], "maxSeqLen": 0}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [1], "maxSeqLen": -1}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [3, 4], "maxSeqLen": 3}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [3, 3], "maxSeqLen": 3}, "NO_ERROR"),
        ({"qSeqLen": [1], "maxSeqLen": 1}, "NO_ERROR"),
        ({"qSeqLen": [1], "maxSeqLen": 1, "rsv": [0] * 12}, "NO_ERROR"),
        ({"qSeqLen": [1], "maxSeqLen": 1, "rsv": [0] * 11 + [1]}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [1], "maxSeqLen": 1, "rsv": [0] * 13}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [2**32 + 1], "maxSeqLen": 1}, "C:ERROR_INVALID_PARAM"),
        ({"q_seq_len": [1], "max_seq_len": 1}, "NO_ERROR"),
        ({}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": ["8"], "maxSeqLen": 8}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [[1], [2, 3]], "maxSeqLen": 8}, "C:ERROR_INVALID_PARAM"),
        ({"qSeqLen": [float("nan")], "maxSeqLen": 8}, "C:ERROR_INVALID_PARAM"),
    ],
)
def test_boundaries_of_the_parameters(name: str, attrs: dict[str, Any], expected: str) -> None:
    lengths, limit = attrs.get("qSeqLen", [1]), attrs.get("maxSeqLen", 1)
    x = x_for(name, lengths, limit, 4) if expected == "NO_ERROR" else zeros(1, 1)
    assert outcome(lambda: cannery.run(name, [x], attrs)) == expected


@BOTH
@pytest.mark.parametrize(
    "dtype",
    [
        "float32",
        "bfloat16",
        "int8",
        "int32",
        "uint8",
        "int16",
        "int64",
        "bool",
        "complex64",
        "complex128",
        "float8_e5m2",
    ],
)
def test_every_type_but_float16_is_refused_by_the_ini(name: str, dtype: str) -> None:
    x = x_for(name, [1, 2], 2, 4, getattr(torch, dtype))
    call = lambda: cannery.run(name, [x], {"qSeqLen": [1, 2], "maxSeqLen": 2})  # noqa: E731
    assert outcome(call) == "I:ERROR_INVALID_TENSOR_INI_MATCH"


@BOTH
@pytest.mark.parametrize("form", ["nchw", "nhwc", "nc1hwc0", "ncdhw", "fractal_z", "fractal_nz"])
def test_every_format_but_nd_is_refused_by_the_ini(name: str, form: str) -> None:
    x = Tensor(x_for(name, [1, 2], 2, 4), Format.of(form))
    call = lambda: cannery.run(name, [x], {"qSeqLen": [1, 2], "maxSeqLen": 2})  # noqa: E731
    assert outcome(call) == "I:ERROR_INVALID_TENSOR_INI_MATCH"


@BOTH
@pytest.mark.parametrize(
    ("soc", "expected"),
    [
        ("Ascend310P3", "C:ERROR_INVALID_PARAM"),
        ("Ascend310P", "C:ERROR_INVALID_PARAM"),
        ("Ascend950", "C:ERROR_INVALID_PARAM"),
        ("Ascend910B", "NO_ERROR"),
        ("Ascend910B4-1", "NO_ERROR"),
        ("Ascend910_9362", "NO_ERROR"),
        (None, "NO_ERROR"),
    ],
)
def test_only_the_910b_class_can_create_the_operation(name: str, soc: str | None, expected: str) -> None:
    x = x_for(name, [1, 2], 2, 4)
    assert outcome(lambda: cannery.run(name, [x], {"qSeqLen": [1, 2], "maxSeqLen": 2}, soc=soc)) == expected


@pytest.mark.parametrize("bits", [0x7E01, -0x1FF, 0x7C00, -0x400, -0x8000, 0x0001])
def test_nan_payloads_infinities_minus_zero_and_subnormals_move_bit_for_bit(bits: int) -> None:
    rows = torch.full((3, 5), bits, dtype=torch.int16).view(torch.float16)
    padded = cannery.run(PAD, [rows], {"qSeqLen": [1, 2], "maxSeqLen": 2})[0]
    assert padded.view(torch.int16)[0, 0].tolist() == [bits] * 5
    back = cannery.run(UNPAD, [padded], {"qSeqLen": [1, 2], "maxSeqLen": 2})[0]
    assert torch.equal(back.view(torch.int16), rows.view(torch.int16))

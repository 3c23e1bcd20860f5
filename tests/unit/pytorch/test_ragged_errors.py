"""What unpad and pad refuse: one line that names the argument, and nothing written."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from cannery.pytorch import ragged
from cannery.pytorch.ragged import RaggedError

# What these tests hand over is wrong on purpose.
pad: Any = ragged.pad
pad_input: Any = ragged.pad_input
unpad: Any = ragged.unpad
unpad_input: Any = ragged.unpad_input
unpad_input_for_concatenated_sequences: Any = ragged.unpad_input_for_concatenated_sequences

X = torch.randn(3, 5, 2)
ROWS = torch.randn(6, 2)
NAN = math.nan


def tensor(*values, dtype=None):
    return torch.tensor(values, dtype=dtype)


WRONG_TYPE = {
    "NaN in a list": (lambda: unpad(X, [1, NAN, 2]), r"lengths\[1\]: found nan \(float\)"),
    "NaN in a tensor": (lambda: unpad(X, tensor(1, NAN, 2)), "lengths: found dtype torch.float32"),
    "floats": (lambda: unpad(X, tensor(1.0, 2.0, 3.0)), "integer dtype"),
    "float array": (lambda: unpad(X, np.array([1.0, 2.0, 3.0])), "lengths: found dtype float64"),
    "string array": (lambda: unpad(X, np.array(["a", "b", "c"])), "lengths: found dtype"),
    "bools": (lambda: unpad(X, tensor(True, False, True)), "torch.bool"),
    "a bool in a list": (lambda: unpad(X, [True, 1, 1]), r"lengths\[0\]: found True"),
    "nested lists": (lambda: unpad(X, [[1, 2], [3]]), r"lengths\[0\]: found \[1, 2\]"),
    "string": (lambda: unpad(X, "123"), "lengths: found str"),
    "strings": (lambda: unpad(X, ["1", "2", "3"]), r"lengths\[0\]: found '1'"),
    "one int": (lambda: unpad(X, 3), "lengths: found int"),
    "x is a list": (lambda: unpad([[1]], [1]), "x: found list"),
    "x is sparse": (lambda: unpad(X.to_sparse(), [1, 2, 3]), "x: found layout"),
    "sparse lengths": (lambda: unpad(X, tensor(1, 2, 3).to_sparse()), "lengths: found layout"),
    "sparse mask": (lambda: unpad(X, mask=torch.ones(3, 5).to_sparse()), "mask: found layout"),
    "out on another device": (lambda: unpad(X, [1, 2, 3], out=ROWS.to("meta")), "out: found torch.float32 on meta"),
    "float max_len": (lambda: unpad(X, [1, 2, 3], max_len=3.0), "max_len: found 3.0"),
    "mask is a list": (lambda: unpad(X, mask=[[1]]), "mask: found list"),
    "out is a list": (lambda: unpad(X, [1, 2, 3], out=[1]), "out: found list"),
    "out of another dtype": (lambda: unpad(X, [1, 2, 3], out=ROWS.double()), "out: found torch.float64"),
    "NaN max_len": (lambda: pad(ROWS, [3, 3], max_len=NAN), "max_len: found nan"),
    "no max_len": (lambda: pad(ROWS, [3, 3], max_len=None), "max_len: found None"),
    "string value": (lambda: pad(ROWS, [3, 3], max_len=5, value="0"), "value: found '0'"),
    "float indices": (lambda: pad_input(ROWS, tensor(0.0), 3, 5), "indices: found dtype"),
}
WRONG_VALUE = {
    "nothing says which": (lambda: unpad(X), "lengths / mask / cu_seqlens: found none of them"),
    "two say which": (lambda: unpad(X, [1, 2, 3], cu_seqlens=[0, 1, 3, 6]), "found lengths and cu_seqlens"),
    "too long": (lambda: unpad(X, [1, 6, 2]), r"lengths\[1\]: found 6, expected 0\.\.5"),
    "too long in a tensor": (lambda: unpad(X, tensor(1, 6, 2)), r"lengths\[1\]: found 6, expected 0\.\.5"),
    "negative": (lambda: unpad(X, tensor(1, -1, 2, dtype=torch.int8)), r"lengths\[1\]: found -1"),
    "huge": (lambda: unpad(X, [1, 2**70, 2]), r"lengths\[1\]: found 1180591620717411303424"),
    "huge and unsigned": (lambda: unpad(X, tensor(2**63 + 5, 1, 1, dtype=torch.uint64)), r"lengths\[0\]"),
    "too few lengths": (lambda: unpad(X, [1, 2]), r"lengths: found shape \(2,\), expected \(3,\)"),
    "offsets for too few": (lambda: unpad(X, cu_seqlens=tensor(0, 1, 2)), r"found shape \(3,\), expected \(4,\)"),
    "no dim": (lambda: unpad(X, torch.tensor(3)), r"lengths: found shape \(\)"),
    "two dims": (lambda: unpad(X, tensor([1, 2, 3])), r"lengths: found shape \(1, 3\)"),
    "offsets start late": (lambda: unpad(X, cu_seqlens=[1, 2, 3, 4]), "found first element 1"),
    "offsets step back": (lambda: unpad(X, cu_seqlens=[0, 3, 2, 4]), r"cu_seqlens\[2\]: found 2"),
    "offsets step too far": (lambda: unpad(X, cu_seqlens=[0, 1, 2, 9]), r"cu_seqlens\[3\]: found 9"),
    "x has one dim": (lambda: unpad(X[0, 0], [1]), r"x: found shape \(2,\)"),
    "longer than the bound": (lambda: unpad(X, [1, 2, 3], max_len=2), r"lengths\[2\]: found 3, expected 0\.\.2"),
    "lengths without data": (lambda: unpad(X, tensor(1, 2, 3).to("meta")), "lengths: found a tensor on meta"),
    "mask without data": (lambda: unpad(X, mask=torch.ones(3, 5).to("meta")), "mask: found a tensor on meta"),
    "max_len beyond int64": (lambda: pad(ROWS, [3, 3], max_len=2**63), "max_len: found 9223372036854775808"),
    "value beyond int64": (lambda: pad(ROWS, [3, 3], max_len=5, value=2**70), "value: found 1180591620717411303424"),
    "negative bound": (lambda: unpad(X, [1, 2, 3], max_len=-1), "max_len: found -1"),
    "mask of another shape": (lambda: unpad(X, mask=torch.ones(3, 4)), r"mask: found shape \(3, 4\)"),
    "additive mask": (lambda: unpad(X, mask=torch.full((3, 5), -1e9)), "mask: found the value -1000000000.0"),
    "NaN mask": (lambda: unpad(X, mask=torch.full((3, 5), NAN)), "mask: found the value nan"),
    "overlapping masks": (lambda: unpad_input(X, torch.ones(3, 5), torch.ones(3, 5)), "mask: found the value 2.0"),
    "more rows than int32 offsets": (
        lambda: unpad(torch.empty(1, 1, 1).expand(3, 2**30, 1), [2**30] * 3, out=torch.empty(1, 1)),
        "lengths: found 3221225472 rows in all",
    ),
    "rows left over": (lambda: pad(ROWS, [1, 2], max_len=5), "rows: found 6 rows, expected 3"),
    "rows without a dim": (lambda: pad(torch.tensor(1.0), [1], max_len=2), r"rows: found shape \(\)"),
    "longer than max_len": (lambda: pad(ROWS, [6], max_len=5), r"lengths\[0\]: found 6, expected 0\.\.5"),
    "lengths as offsets": (lambda: pad(ROWS, cu_seqlens=[3, 3], max_len=5), "for row counts pass lengths="),
    "rows left over by a mask": (lambda: pad(ROWS, mask=torch.ones(1, 5)), "rows: found 6 rows, expected 5"),
    "mask of one dim": (lambda: pad(ROWS, mask=torch.ones(6)), r"mask: found shape \(6,\)"),
    "max_len that is not the mask's": (lambda: pad(ROWS, mask=torch.ones(1, 6), max_len=7), "max_len: found 7"),
    "a mask and lengths": (lambda: pad(ROWS, [6], mask=torch.ones(1, 6)), "found lengths and mask"),
    "value too large by a mask": (lambda: pad(ROWS.half(), mask=torch.ones(1, 6), value=1e6), "at most 65504"),
    "sequences beyond the sample": (
        lambda: unpad_input_for_concatenated_sequences(X, tensor([3, 3, 0, 0, 0], [0] * 5, [0] * 5)),
        r"lengths\[0\]: found 6, expected 0\.\.5",
    ),
    "no offsets": (lambda: pad(ROWS, cu_seqlens=[], max_len=5), "cu_seqlens: found no element"),
    "fraction into integers": (lambda: pad(ROWS.int(), [3, 3], max_len=5, value=1.5), "value: found 1.5"),
    "NaN into integers": (lambda: pad(ROWS.int(), [3, 3], max_len=5, value=NAN), "value: found nan"),
    "too large for half": (lambda: pad(ROWS.half(), [3, 3], max_len=5, value=1e6), "at most 65504"),
    "complex into real": (lambda: pad(ROWS, [3, 3], max_len=5, value=1j), "value: found 1j"),
    "index past the end": (lambda: pad_input(ROWS, tensor(0, 1, 2, 3, 4, 99), 3, 5), "indices: found 99"),
    "index twice": (lambda: pad_input(ROWS, tensor(0, 1, 2, 3, 4, 4), 3, 5), "an index twice"),
    "too few indices": (lambda: pad_input(ROWS, tensor(0, 1), 3, 5), "rows: found 6 rows, expected 2"),
}


@pytest.mark.parametrize("case", WRONG_TYPE)
def test_wrong_types_are_type_errors_and_value_errors(case):
    call, message = WRONG_TYPE[case]
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert isinstance(caught.value, RaggedError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", WRONG_VALUE)
def test_wrong_values_are_named(case):
    call, message = WRONG_VALUE[case]
    with pytest.raises(RaggedError, match=message) as caught:
        call()
    assert not isinstance(caught.value, TypeError)
    assert "\n" not in str(caught.value)
    assert caught.value.parameter
    assert caught.value.found
    assert caught.value.expected


POISONED = {
    "too short": lambda: torch.full((5, 2), NAN),
    "not contiguous": lambda: torch.full((2, 6), NAN).t(),
    "another dtype": lambda: torch.full((6, 2), NAN, dtype=torch.float64),
}


@pytest.mark.parametrize("case", POISONED)
@pytest.mark.parametrize("how", [{"lengths": [1, 2, 3]}, {"mask": torch.arange(5) < tensor(1, 2, 3)[:, None]}])
def test_a_refused_buffer_is_not_written(case, how):
    out = POISONED[case]()
    with pytest.raises(RaggedError, match="out: found"):
        unpad(X, **how, out=out)
    assert bool(out.isnan().all())


def test_bad_lengths_leave_a_good_buffer_alone():
    out = torch.full((6, 2), NAN)
    with pytest.raises(RaggedError):
        unpad(X, tensor(0, 0, 6), out=out)
    padded = torch.full((3, 5, 2), NAN)
    with pytest.raises(RaggedError):
        pad(ROWS, [1, 2, 4], max_len=5, out=padded)
    assert bool(out.isnan().all())
    assert bool(padded.isnan().all())


def test_a_buffer_that_shares_memory_with_the_input_is_refused():
    memory = torch.zeros(60)
    x = memory[:30].view(3, 5, 2)
    with pytest.raises(RaggedError, match="memory shared"):
        unpad(x, [1, 2, 3], out=memory[12:24].view(6, 2))
    assert unpad(x, [1, 2, 3], out=memory[30:42].view(6, 2))[0].shape == (6, 2)


def test_a_buffer_has_no_gradient():
    x = X.clone().requires_grad_()
    with pytest.raises(RaggedError, match="out: found a gradient"):
        unpad(x, [1, 2, 3], out=torch.empty(6, 2))
    with torch.no_grad():
        assert torch.equal(unpad(x, [1, 2, 3], out=torch.empty(6, 2))[0], unpad(X, [1, 2, 3])[0])


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(torch.float8_e8m0fnu, 0), (torch.float8_e8m0fnu, 3), (torch.float8_e4m3fn, math.inf), (torch.float8_e4m3fn, 500)],
)
def test_a_filler_that_the_dtype_cannot_hold_is_refused_before_anything_is_written(
    dtype: torch.dtype, value: float
) -> None:
    out = torch.full((2, 40, 2), 0.5).to(dtype)
    with pytest.raises(RaggedError, match=r"^value: found"):
        ragged.pad(torch.ones(60, 2).to(dtype), cu_seqlens=[0, 30, 60], max_len=40, value=value, out=out)
    assert out.float().unique().tolist() == [0.5]


def test_a_batch_that_no_machine_holds_is_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="expected no more than the machine has"):
        ragged.pad(torch.ones(4, 8), cu_seqlens=[0, 2, 4], max_len=2**60)

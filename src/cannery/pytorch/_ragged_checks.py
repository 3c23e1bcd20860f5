"""What is refused about the arguments of unpad and pad, each with one line that says what was found and expected.

The checks of lists, shapes and types run where the call is traced; those that read tensor values run inside the
operators' bodies. The same function does both, so that a list and a tensor fail alike.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from cannery.core import Refusal

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
INTEGER_DTYPES = frozenset(
    {
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.uint8,
        torch.uint16,
        torch.uint32,
        torch.uint64,
    }
)


class RaggedError(Refusal, ValueError):
    """An argument of unpad or pad that cannot be used."""


class RaggedTypeError(RaggedError, TypeError):
    """An argument of the wrong Python type or element type."""


def check_tensor(value: object, name: str, least_rank: int, dims: str) -> None:
    """A strided tensor of at least this rank."""
    if not isinstance(value, Tensor):
        raise RaggedTypeError(name, type(value).__name__, f"a tensor {dims}")
    _check_strided(value, name)
    if value.dim() < least_rank:
        raise RaggedError(name, f"shape {tuple(value.shape)}", f"{dims}, at least {least_rank} dims")


def _check_strided(tensor: Tensor, name: str) -> None:
    if tensor.layout != torch.strided:
        raise RaggedTypeError(name, f"layout {tensor.layout}", "a strided tensor; call .to_dense() or pass the values")


def _check_readable(tensor: Tensor, name: str) -> None:
    """A tensor whose values say how many rows there are."""
    _check_strided(tensor, name)
    if tensor.device.type == "meta":
        raise RaggedError(name, "a tensor on meta", "one with data; to trace without data use a FakeTensorMode")


def check_count(value: object, name: str) -> None:
    """A Python integer that is not negative and that int64 holds."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise RaggedTypeError(name, f"{_shown(value)} ({type(value).__name__})", "an int")
    if value < 0:
        raise RaggedError(name, value, "0 or more")
    if isinstance(value, int) and value > INT64_MAX:
        raise RaggedError(name, value, f"at most {INT64_MAX}")


def check_integer_vector(counts: Tensor, name: str) -> None:
    """A 1-D tensor of any integer dtype."""
    if counts.dtype not in INTEGER_DTYPES:
        raise RaggedTypeError(name, f"dtype {counts.dtype}", "an integer dtype; round and cast it yourself")
    if counts.dim() != 1:
        raise RaggedError(name, f"shape {tuple(counts.shape)}", "one dim")
    _check_readable(counts, name)


def check_integer_list(values: Sequence[object], name: str) -> None:
    """Python integers, no nesting."""
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
            raise RaggedTypeError(f"{name}[{i}]", f"{_shown(value)} ({type(value).__name__})", "an integer")
        if value > INT32_MAX or value < -INT32_MAX:
            raise RaggedError(f"{name}[{i}]", value, f"at most {INT32_MAX}, what int32 cu_seqlens can hold")


def check_size(found: int, expected: int, name: str, why: str) -> None:
    """A vector with as many elements as the batch asks for."""
    if found != expected:
        raise RaggedError(name, f"shape ({found},)", f"({expected},), {why}")


def check_lengths(lengths: Sequence[int], limit: int, name: str = "lengths") -> None:
    """Row counts within 0..limit whose sum int32 offsets can hold."""
    for i, length in enumerate(lengths):
        if length < 0 or length > limit:
            raise RaggedError(f"{name}[{i}]", length, f"0..{limit}, the rows a sample has room for")
    if sum(lengths) > INT32_MAX:
        raise RaggedError(name, f"{sum(lengths)} rows in all", f"at most {INT32_MAX}, what int32 cu_seqlens can hold")


def lengths_between(offsets: Sequence[int], limit: int) -> list[int]:
    """Row counts of cumulative offsets 0 = c[0] <= c[1] <= ..., each step within the limit."""
    if not offsets or offsets[0] != 0:
        found = f"first element {offsets[0]}" if offsets else "no element"
        raise RaggedError("cu_seqlens", found, "B + 1 offsets that start with 0; for row counts pass lengths=")
    lengths = [after - before for before, after in pairwise(offsets)]
    for i, length in enumerate(lengths):
        if length < 0 or length > limit:
            steps = f"0..{limit} rows after cu_seqlens[{i}] = {offsets[i]}"
            raise RaggedError(f"cu_seqlens[{i + 1}]", offsets[i + 1], steps)
    check_lengths(lengths, limit)
    return lengths


def check_rows(found: int, total: int, name: str) -> None:
    """As many packed rows as the lengths add up to."""
    if found != total:
        raise RaggedError(name, f"{found} rows", f"{total}, the sum of the lengths")


def check_zero_or_one(mask: Tensor) -> None:
    """A mask of 0 and 1 in any dtype (an additive mask of 0 and -inf is something else)."""
    if mask.dtype != torch.bool and not bool(((mask == 0) | (mask == 1)).all()):
        wrong = mask[(mask != 0) & (mask != 1)][0].item()
        raise RaggedError("mask", f"the value {wrong}", "only 0 and 1")


def check_mask_shape(mask: object, batch: int, max_len: int, name: str = "mask") -> None:
    """A mask for the rows of a padded batch."""
    check_mask(mask, name)
    assert isinstance(mask, Tensor)
    if mask.shape[0] != batch or mask.shape[1] != max_len:
        raise RaggedError(name, f"shape {tuple(mask.shape)}", f"({batch}, {max_len}), the first two dims of x")


def check_mask(mask: object, name: str = "mask") -> None:
    """A tensor (B, S) that may hold 0 and 1."""
    if not isinstance(mask, Tensor):
        raise RaggedTypeError(name, type(mask).__name__, "a tensor (B, S) of 0 and 1")
    if mask.dim() != 2:
        raise RaggedError(name, f"shape {tuple(mask.shape)}", "(B, S)")
    if mask.dtype.is_complex:
        raise RaggedTypeError(name, f"dtype {mask.dtype}", "bool or 0 and 1 in a real dtype")
    _check_readable(mask, name)


def check_number(value: object, name: str) -> None:
    if not isinstance(value, (int, float, complex, torch.SymInt, torch.SymFloat)):
        raise RaggedTypeError(name, f"{_shown(value)} ({type(value).__name__})", "a number")
    if isinstance(value, int) and not -INT64_MAX <= value <= INT64_MAX:
        raise RaggedError(name, _shown(value), f"an integer of at most {INT64_MAX}, or a float")


def check_value(value: complex, dtype: torch.dtype) -> None:
    """A number that the dtype can hold: exactly for integers and bool, within range for floats."""
    try:
        stored = torch.full((), value, dtype=dtype).item()
    except (RuntimeError, TypeError, OverflowError):
        raise RaggedError("value", _shown(value), f"a number that {dtype} can hold") from None
    if dtype == torch.float8_e8m0fnu and not value == stored > 0 and not cmath.isnan(value):
        raise RaggedError("value", _shown(value), f"a power of two, or nan: {dtype} holds no other number, and no 0")
    floating = dtype.is_floating_point or dtype.is_complex
    if dtype == torch.float8_e4m3fn and cmath.isinf(value):
        raise RaggedError("value", _shown(value), f"a number or nan: {dtype} has no infinity")
    if floating and cmath.isfinite(value) and abs(value) > torch.finfo(dtype).max:
        raise RaggedError("value", _shown(value), f"at most {torch.finfo(dtype).max}, the range of {dtype}")
    if not floating and stored != value:
        raise RaggedError("value", _shown(value), f"a number that {dtype} holds exactly")


def check_kind(out: Tensor, like: Tensor) -> None:
    """A buffer of the input's dtype on the input's device."""
    if out.dtype != like.dtype or out.device != like.device:
        raise RaggedTypeError("out", f"{out.dtype} on {out.device}", f"{like.dtype} on {like.device}, as the input")


def check_out(out: Tensor, shape: Sequence[int], like: Tensor) -> None:
    """A contiguous buffer of the result's shape, dtype and device that does not share memory with the input."""
    check_kind(out, like)
    if tuple(out.shape) != tuple(shape):
        raise RaggedError("out", f"shape {tuple(out.shape)}", f"{tuple(shape)}")
    if not out.is_contiguous():
        raise RaggedError("out", f"strides {tuple(out.stride())}", "a contiguous tensor")
    if _overlap(out, like):
        raise RaggedError("out", "memory shared with the input", "a buffer of its own; the move is not done in place")


def check_no_gradient(out: Tensor, source: Tensor) -> None:
    """Out buffers are for inference: torch's own out= rule."""
    if torch.is_grad_enabled() and (out.requires_grad or source.requires_grad):
        raise RaggedError("out", "a gradient to record", "torch.no_grad(), or no out=: a given buffer has no gradient")


def _overlap(one: Tensor, other: Tensor) -> bool:
    (a, b), (c, d) = _extent(one), _extent(other)
    return a < d and c < b


def _extent(tensor: Tensor) -> tuple[int, int]:
    """First byte and one past the last byte that the tensor's elements span."""
    if tensor.numel() == 0:
        return 0, 0
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

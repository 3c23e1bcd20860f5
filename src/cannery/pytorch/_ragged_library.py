"""The operators behind unpad and pad, registered with torch.library under ``cannery``.

Two of them only read: *layouts* turn lengths, offsets or a mask into int32 offsets on the host, where the moves need
them, and numbers. How many rows there are depends on data, so their fakes answer with unbacked sizes; everything after
them has shapes that follow from its arguments. The *moves* come in adjoint pairs, each the other's backward, so they
can be differentiated any number of times. Values are validated here, inside the bodies: a compiled caller stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cannery.ops._ragged import pack_rows, put_rows, spread_rows, take_rows
from cannery.pytorch import _ragged_checks as checks

_OP = torch.library.custom_op


# --- layouts ----------------------------------------------------------------------------------------------------------


@_OP("cannery::ragged_layout", mutates_args=())
def ragged_layout(counts: Tensor, limit: int, cumulative: bool) -> tuple[Tensor, int, int]:
    """Offsets int32 (B + 1,) on the host, their last and the longest step, of lengths (B,) or offsets (B + 1,)."""
    values = counts.tolist()
    if cumulative:
        lengths = checks.lengths_between(values, limit)
    else:
        lengths = values
        checks.check_lengths(lengths, limit)
    return _offsets(lengths), sum(lengths), max(lengths, default=0)


@ragged_layout.register_fake
def _(counts: Tensor, limit: int, cumulative: bool) -> tuple[Tensor, Any, Any]:
    context = torch.library.get_ctx()
    offsets = torch.empty(counts.shape[0] + (not cumulative), dtype=torch.int32, device="cpu")
    return offsets, context.new_dynamic_size(), context.new_dynamic_size()


@_OP("cannery::ragged_mask_layout", mutates_args=())
def ragged_mask_layout(mask: Tensor, limit: int) -> tuple[Tensor, Tensor, int]:
    """Flat positions int64 (N,) of the ones of a mask (B, S), offsets int32 (B + 1,) on the host, longest sample."""
    checks.check_zero_or_one(mask)
    positions, lengths = _ones(mask if mask.dtype == torch.bool else mask != 0)
    checks.check_lengths(lengths, limit, "mask row sum")
    return positions, _offsets(lengths), max(lengths, default=0)


def _ones(there: Tensor) -> tuple[Tensor, list[int]]:
    """Flat positions of the ones of a bool mask, and how many each row has."""
    if there.device.type != "cpu":
        return there.flatten().nonzero().flatten(), there.sum(dim=1).tolist()
    # By numpy, which does not wake torch's threads: on a busy machine they take longer to come than this takes.
    array = there.numpy()
    return torch.from_numpy(np.flatnonzero(array)), np.count_nonzero(array, axis=1).tolist()


@ragged_mask_layout.register_fake
def _(mask: Tensor, limit: int) -> tuple[Tensor, Tensor, Any]:
    context = torch.library.get_ctx()
    positions = mask.new_empty((context.new_dynamic_size(),), dtype=torch.int64)
    offsets = torch.empty(mask.shape[0] + 1, dtype=torch.int32, device="cpu")
    return positions, offsets, context.new_dynamic_size()


def _offsets(lengths: Sequence[int]) -> Tensor:
    return torch.tensor(list(accumulate(lengths, initial=0)), dtype=torch.int32, device="cpu")


# --- moves by lengths: unpad and pad ----------------------------------------------------------------------------------


@_OP("cannery::unpad", mutates_args=())
def unpad(x: Tensor, cu_seqlens: Tensor, total: int) -> Tensor:
    """Packed rows (total, ...) of a padded batch (B, S, ...)."""
    lengths = _unpad_lengths(x, cu_seqlens)
    checks.check_rows(total, sum(lengths), "total")
    return pack_rows(x, lengths)


@unpad.register_fake
def _(x: Tensor, cu_seqlens: Tensor, total: int) -> Tensor:
    return x.new_empty((total, *x.shape[2:]))


@_OP("cannery::unpad_out", mutates_args=("out",))
def unpad_out(x: Tensor, cu_seqlens: Tensor, out: Tensor) -> None:
    """The same into the caller's buffer."""
    lengths = _unpad_lengths(x, cu_seqlens)
    checks.check_out(out, (sum(lengths), *x.shape[2:]), x)
    pack_rows(x, lengths, out)


@_OP("cannery::pad", mutates_args=(), schema="(Tensor rows, Tensor cu_seqlens, SymInt max_len, Scalar value) -> Tensor")
def pad(rows: Tensor, cu_seqlens: Tensor, max_len: int, value: complex) -> Tensor:
    """Padded batch (B, max_len, ...) of packed rows (N, ...)."""
    return spread_rows(rows, _pad_lengths(rows, cu_seqlens, max_len, value), max_len, value)


@pad.register_fake
def _(rows: Tensor, cu_seqlens: Tensor, max_len: int, value: complex) -> Tensor:
    return rows.new_empty((cu_seqlens.shape[0] - 1, max_len, *rows.shape[1:]))


@_OP(
    "cannery::pad_out",
    mutates_args=("out",),
    schema="(Tensor rows, Tensor cu_seqlens, SymInt max_len, Scalar value, Tensor(a!) out) -> ()",
)
def pad_out(rows: Tensor, cu_seqlens: Tensor, max_len: int, value: complex, out: Tensor) -> None:
    """The same into the caller's buffer, every element of which is written."""
    lengths = _pad_lengths(rows, cu_seqlens, max_len, value)
    checks.check_out(out, (len(lengths), max_len, *rows.shape[1:]), rows)
    spread_rows(rows, lengths, max_len, value, out)


def _unpad_lengths(x: Tensor, cu_seqlens: Tensor) -> list[int]:
    checks.check_size(cu_seqlens.numel(), x.shape[0] + 1, "cu_seqlens", "one offset a sample and the end")
    return checks.lengths_between(cu_seqlens.tolist(), x.shape[1])


def _pad_lengths(rows: Tensor, cu_seqlens: Tensor, max_len: int, value: complex) -> list[int]:
    lengths = checks.lengths_between(cu_seqlens.tolist(), max_len)
    checks.check_rows(rows.shape[0], sum(lengths), "rows")
    checks.check_value(value, rows.dtype)
    return lengths


def _save_unpad(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, cu_seqlens, _ = inputs
    ctx.save_for_backward(cu_seqlens)
    ctx.max_len = x.shape[1]


def _unpad_backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    return torch.ops.cannery.pad(gradient, *ctx.saved_tensors, ctx.max_len, 0), None, None


def _save_pad(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    rows, cu_seqlens, *_ = inputs
    ctx.save_for_backward(cu_seqlens)
    ctx.total = rows.shape[0]


def _pad_backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    return torch.ops.cannery.unpad(gradient, *ctx.saved_tensors, ctx.total), None, None, None


unpad.register_autograd(_unpad_backward, setup_context=_save_unpad)
pad.register_autograd(_pad_backward, setup_context=_save_pad)


# --- moves by positions: a mask with holes anywhere -------------------------------------------------------------------


@_OP("cannery::take_rows", mutates_args=())
def take(x: Tensor, positions: Tensor) -> Tensor:
    """Rows (N, ...) of a batch (B, S, ...) at distinct flat positions (N,) of B * S."""
    _check_positions(positions, x.shape[0] * x.shape[1])
    return take_rows(x, positions)


@take.register_fake
def _(x: Tensor, positions: Tensor) -> Tensor:
    return x.new_empty((positions.shape[0], *x.shape[2:]))


@_OP("cannery::take_rows_out", mutates_args=("out",))
def take_out(x: Tensor, positions: Tensor, out: Tensor) -> None:
    """The same into the caller's buffer."""
    _check_positions(positions, x.shape[0] * x.shape[1])
    checks.check_out(out, (positions.shape[0], *x.shape[2:]), x)
    take_rows(x, positions, out)


@_OP(
    "cannery::put_rows",
    mutates_args=(),
    schema="(Tensor rows, Tensor positions, SymInt batch, SymInt max_len, Scalar value=0) -> Tensor",
)
def put(rows: Tensor, positions: Tensor, batch: int, max_len: int, value: complex = 0) -> Tensor:
    """Batch (batch, max_len, ...) of ``value`` with row j at flat position positions[j]."""
    _check_put(rows, positions, batch * max_len, value)
    return put_rows(rows, positions, batch, max_len, value)


@put.register_fake
def _(rows: Tensor, positions: Tensor, batch: int, max_len: int, value: complex = 0) -> Tensor:
    return rows.new_empty((batch, max_len, *rows.shape[1:]))


@_OP(
    "cannery::put_rows_out",
    mutates_args=("out",),
    schema="(Tensor rows, Tensor positions, SymInt batch, SymInt max_len, Scalar value, Tensor(a!) out) -> ()",
)
def put_out(rows: Tensor, positions: Tensor, batch: int, max_len: int, value: complex, out: Tensor) -> None:
    """The same into the caller's buffer, every element of which is written."""
    _check_put(rows, positions, batch * max_len, value)
    checks.check_out(out, (batch, max_len, *rows.shape[1:]), rows)
    put_rows(rows, positions, batch, max_len, value, out)


def _check_put(rows: Tensor, positions: Tensor, limit: int, value: complex) -> None:
    _check_positions(positions, limit)
    if rows.shape[0] != positions.shape[0]:
        raise checks.RaggedError("rows", f"{rows.shape[0]} rows", f"{positions.shape[0]}, one for each position")
    checks.check_value(value, rows.dtype)


def _check_positions(positions: Tensor, limit: int) -> None:
    """Within the batch and none twice, else the pair would not be adjoint."""
    checks.check_integer_vector(positions, "indices")
    if positions.numel() == 0:
        return
    low, high = (int(v) for v in positions.aminmax())
    if low < 0 or high >= limit:
        raise checks.RaggedError("indices", low if low < 0 else high, f"0..{limit - 1}, the rows of the batch")
    seen = torch.zeros(limit, dtype=torch.bool, device=positions.device).index_fill_(0, positions.long(), True)
    if int(seen.count_nonzero()) != positions.numel():
        raise checks.RaggedError("indices", "an index twice", "distinct indices")


def _save_take(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, positions = inputs
    ctx.save_for_backward(positions)
    ctx.batch, ctx.max_len = x.shape[:2]


def _take_backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    return torch.ops.cannery.put_rows(gradient, *ctx.saved_tensors, ctx.batch, ctx.max_len), None


def _save_put(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(inputs[1])


def _put_backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    return torch.ops.cannery.take_rows(gradient, *ctx.saved_tensors), None, None, None, None


take.register_autograd(_take_backward, setup_context=_save_take)
put.register_autograd(_put_backward, setup_context=_save_put)


# --- vmap: a batched dim is one more trailing dim of a row ------------------------------------------------------------


def _as_trailing_dim(operator: Any) -> Any:
    def batched(info: Any, in_dims: tuple[Any, ...], moved: Tensor, *layout: Any) -> tuple[Tensor, int]:
        if in_dims[0] is None or any(dim is not None for dim in in_dims[1:]):
            raise NotImplementedError("vmap over lengths, offsets or indices: every call must move the same rows")
        result = operator(moved.movedim(in_dims[0], -1), *layout)
        return result, result.dim() - 1

    return batched


unpad.register_vmap(_as_trailing_dim(unpad))
pad.register_vmap(_as_trailing_dim(pad))
take.register_vmap(_as_trailing_dim(take))
put.register_vmap(_as_trailing_dim(put))

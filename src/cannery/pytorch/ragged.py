"""Padded batches and packed rows for model code: ``unpad``, ``pad``, and flash-attention's pair of the same.

The device operators UnpadWithHiddenState and PadWithHiddenState of hicann/ascend-transformer-boost (ddcc8b6,
src/ops/ops_train) move fp16 rows of at most 32 samples. These functions move the same rows without those limits: any
dtype, any device, any number of samples, any trailing dims, zero-length samples, gradients of any order, and they stay
one graph under ``torch.compile(fullgraph=True)``.

    >>> x = torch.arange(12.0).reshape(2, 3, 2)
    >>> rows, cu_seqlens, max_len = unpad(x, [1, 2])
    >>> rows.shape, cu_seqlens.tolist(), max_len
    (torch.Size([3, 2]), [0, 1, 3], 2)
    >>> pad(rows, cu_seqlens=cu_seqlens, max_len=3).shape
    torch.Size([2, 3, 2])
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from cannery.pytorch import _ragged_checks as checks
from cannery.pytorch import _ragged_library as library
from cannery.pytorch._ragged_checks import RaggedError, RaggedTypeError

__all__ = [
    "RaggedError",
    "RaggedTypeError",
    "index_first_axis",
    "pad",
    "pad_input",
    "unpad",
    "unpad_input",
    "unpad_input_for_concatenated_sequences",
]

Counts = Tensor | Sequence[int] | np.ndarray


def unpad(
    x: Tensor,
    lengths: Counts | None = None,
    *,
    mask: Tensor | None = None,
    cu_seqlens: Counts | None = None,
    max_len: int | None = None,
    out: Tensor | None = None,
) -> tuple[Tensor, Tensor, int]:
    """Pack the rows of a padded batch: ``rows[cu_seqlens[i] + t] = x[i, t]`` for ``t < lengths[i]``.

    Exactly one of ``lengths``, ``mask`` and ``cu_seqlens`` says which rows are there. Padding is never read, and its
    gradient is exactly zero.

    Args:
        x: (B, S, ...), any dtype, device, strides and trailing dims.
        lengths: B row counts in 0..S: a 1-D tensor of any integer dtype, a list or a numpy array.
        mask: (B, S) of 0 and 1, True and False; the ones may stand anywhere (padding on the left, holes), rows keep
            their order. ``pad`` with the same mask puts them back where they were, with the lengths or offsets to the
            left.
        cu_seqlens: B + 1 offsets 0 = c[0] <= c[1] <= ..., in the forms of ``lengths``.
        max_len: an upper bound of the lengths that is returned as it is, to keep a static number in a compiled caller.
        out: contiguous buffer (N, ...) that is written instead of fresh memory; not with gradients.

    Returns:
        The rows (N, ...), int32 offsets (B + 1,) on the device of ``x``, and the longest length (0 for no sample).

    Raises:
        RaggedError: (a ValueError) an argument that cannot be used; nothing has been written.
        RaggedTypeError: (also a TypeError) one of the wrong type, such as lengths that are floats.
    """
    checks.check_tensor(x, "x", 2, "(B, S, ...)")
    _check_one_of(lengths=lengths, mask=mask, cu_seqlens=cu_seqlens)
    max_len = _plain(max_len)
    limit = _limit(x.shape[1], max_len)
    if mask is not None:
        rows, _, layout = _take_masked(x, mask, limit, out)
    else:
        layout = _layout(lengths, cu_seqlens, limit, x.shape[0])
        rows = _packed(x, layout, out)
    return rows, layout.offsets.to(x.device), layout.longest if max_len is None else max_len


def pad(
    rows: Tensor,
    lengths: Counts | None = None,
    *,
    mask: Tensor | None = None,
    cu_seqlens: Counts | None = None,
    max_len: int | None = None,
    value: complex = 0,
    out: Tensor | None = None,
) -> Tensor:
    """Spread packed rows over a padded batch: ``result[i, t] = rows[cu_seqlens[i] + t]`` for ``t < lengths[i]``.

    Exactly one of ``lengths``, ``mask`` and ``cu_seqlens`` says where rows go. The adjoint of :func:`unpad` with the
    same one when ``value`` is 0. Every element of the result is written, padding included (the device operator leaves
    it as the memory was).

    Args:
        rows: (N, ...), any dtype, device, strides and trailing dims; N is the sum of the lengths.
        lengths: B row counts in 0..max_len: a 1-D tensor of any integer dtype, a list or a numpy array.
        mask: (B, S) of 0 and 1 instead: the rows go, in order, where the ones are.
        cu_seqlens: B + 1 offsets instead, in the same forms.
        max_len: the second dim of the result; with ``mask`` it is S and need not be given.
        value: what padding is filled with, a number that the dtype of ``rows`` can hold.
        out: contiguous buffer (B, max_len, ...) that is written instead of fresh memory; not with gradients.

    Returns:
        The batch (B, max_len, ...).

    Raises:
        RaggedError, RaggedTypeError: as :func:`unpad`.
    """
    checks.check_tensor(rows, "rows", 1, "(N, ...)")
    _check_one_of(lengths=lengths, mask=mask, cu_seqlens=cu_seqlens)
    max_len, value = _plain(max_len), _plain(value)
    checks.check_number(value, "value")
    if mask is not None:
        return _put_masked(rows, mask, max_len, value, out)
    checks.check_count(max_len, "max_len")
    assert max_len is not None
    layout = _layout(lengths, cu_seqlens, max_len, None)
    if out is None:
        return library.pad(rows, layout.offsets, max_len, value)
    _check_buffer(out, rows)
    library.pad_out(rows, layout.offsets, max_len, value, out)
    return out


def unpad_input(
    hidden_states: Tensor, attention_mask: Tensor, unused_mask: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor, int, Tensor]:
    """The five results of flash-attention's function of this name (Dao-AILab/flash-attention, bert_padding.py).

    Args:
        hidden_states: (B, S, ...).
        attention_mask: (B, S) of 0 and 1, ones anywhere.
        unused_mask: (B, S) of 0 and 1, rows that are packed along but not counted as used; disjoint from the mask.

    Returns:
        The rows (N, ...), their flat positions int64 (N,) for :func:`pad_input`, int32 offsets (B + 1,), the longest
        sample, and the int32 number of used rows of each sample (B,).
    """
    checks.check_tensor(hidden_states, "hidden_states", 2, "(B, S, ...)")
    batch, max_len = hidden_states.shape[:2]
    checks.check_mask_shape(attention_mask, batch, max_len, "attention_mask")
    everything = attention_mask
    if unused_mask is not None:
        checks.check_mask_shape(unused_mask, batch, max_len, "unused_mask")
        everything = attention_mask + unused_mask
    rows, indices, layout = _take_masked(hidden_states, everything, max_len, None)
    used = attention_mask.sum(dim=-1, dtype=torch.int32)
    return rows, indices, layout.offsets.to(hidden_states.device), layout.longest, used


def pad_input(hidden_states: Tensor, indices: Tensor, batch: int, seqlen: int) -> Tensor:
    """Put rows back where :func:`unpad_input` took them, zeros elsewhere; argument order as flash-attention's.

    Args:
        hidden_states: (N, ...).
        indices: (N,) distinct flat positions in 0..batch * seqlen - 1.
        batch, seqlen: the first two dims of the result.

    Returns:
        The batch (batch, seqlen, ...).
    """
    checks.check_tensor(hidden_states, "hidden_states", 1, "(N, ...)")
    checks.check_tensor(indices, "indices", 1, "(N,)")
    checks.check_integer_vector(indices, "indices")
    checks.check_count(batch, "batch")
    checks.check_count(seqlen, "seqlen")
    return library.put(hidden_states, indices, batch, seqlen)


def index_first_axis(x: Tensor, indices: Tensor) -> Tensor:
    """``x[indices]``, as flash-attention's function of this name, and :func:`pad_input`'s adjoint.

    Args:
        x: (N, ...).
        indices: (M,) distinct positions in 0..N - 1.
    """
    checks.check_tensor(x, "x", 1, "(N, ...)")
    checks.check_tensor(indices, "indices", 1, "(M,)")
    checks.check_integer_vector(indices, "indices")
    return library.take(x.unsqueeze(0), indices)


def unpad_input_for_concatenated_sequences(
    hidden_states: Tensor, attention_mask_in_length: Tensor
) -> tuple[Tensor, Tensor, Tensor, int]:
    """The four results of flash-attention's function of this name: rows of batches that hold several sequences each.

    Args:
        hidden_states: (B, S, ...); the sequences of a sample stand one behind the other, from its first row on.
        attention_mask_in_length: (B, S) of an integer dtype: the lengths of a sample's sequences, zeros behind them.

    Returns:
        The rows (N, ...), their flat positions int64 (N,) for :func:`pad_input`, int32 offsets of the sequences, and
        the longest of them.
    """
    checks.check_tensor(hidden_states, "hidden_states", 2, "(B, S, ...)")
    name, lengths = "attention_mask_in_length", attention_mask_in_length
    batch, max_len = hidden_states.shape[:2]
    checks.check_mask_shape(lengths, batch, max_len, name)
    checks.check_integer_vector(lengths.flatten(), name)
    samples = _layout(lengths.sum(dim=1), None, max_len, batch)
    sequences = _layout(lengths[lengths != 0], None, max_len, None)
    there = torch.arange(max_len, device=lengths.device) < lengths.sum(dim=1, keepdim=True)
    rows = library.unpad(hidden_states, samples.offsets, samples.total)
    indices = there.flatten().nonzero().flatten().to(hidden_states.device)
    return rows, indices, sequences.offsets.to(hidden_states.device), sequences.longest


class _Layout(NamedTuple):
    """Where the samples are among packed rows: offsets int32 (B + 1,) on the host, their last, the longest sample."""

    offsets: Tensor
    total: int
    longest: int


def _layout(lengths: Any, cu_seqlens: Any, limit: int, batch: int | None) -> _Layout:
    """The layout of whichever of the two is given; the batch size, where known, is held against its size."""
    cumulative = cu_seqlens is not None
    name = "cu_seqlens" if cumulative else "lengths"
    given = cu_seqlens if cumulative else lengths
    given = _tensor_of(given, name) if isinstance(given, np.ndarray) else given
    if not isinstance(given, Tensor):
        given = _listed(given, name)
    counts = given if isinstance(given, Tensor) else torch.tensor(given, dtype=torch.int64, device="cpu")
    checks.check_integer_vector(counts, name)
    if batch is not None:
        why = "one offset a sample and the end" if cumulative else "one length a sample"
        checks.check_size(counts.shape[0], batch + int(cumulative), name, why)
    offsets, total, longest = library.ragged_layout(counts, limit, cumulative)
    if isinstance(given, Tensor):
        return _Layout(offsets, total, longest)
    # A list's numbers are known where the call is traced: its results have known sizes.
    steps = [after - before for before, after in pairwise(given)] if cumulative else given
    return _Layout(offsets, sum(steps), max([0, *steps]))


def _plain(value: Any) -> Any:
    """A numpy scalar as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _tensor_of(array: np.ndarray, name: str) -> Tensor:
    """A copy, since an array may be read-only or run backwards, which a tensor cannot."""
    if array.dtype.kind not in "iu":
        raise checks.RaggedTypeError(name, f"dtype {array.dtype}", "an integer dtype; round and cast it yourself")
    return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), order="C"))


def _listed(values: object, name: str) -> list[int]:
    """A list, tuple or range of Python or numpy integers as a list of Python's."""
    if not isinstance(values, (list, tuple, range)):
        raise checks.RaggedTypeError(name, type(values).__name__, "a list or a 1-D integer tensor")
    listed = [_plain(value) for value in values]
    checks.check_integer_list(listed, name)
    return listed


def _packed(x: Tensor, layout: _Layout, out: Tensor | None) -> Tensor:
    if out is None:
        return library.unpad(x, layout.offsets, layout.total)
    _check_buffer(out, x)
    library.unpad_out(x, layout.offsets, out)
    return out


def _take_masked(x: Tensor, mask: Tensor, limit: int, out: Tensor | None) -> tuple[Tensor, Tensor, _Layout]:
    """Rows where the mask is one, their flat positions, their layout."""
    checks.check_mask_shape(mask, x.shape[0], x.shape[1])
    indices, offsets, longest = library.ragged_mask_layout(mask, limit)
    layout = _Layout(offsets, indices.shape[0], longest)
    if out is None:
        return library.take(x, indices), indices, layout
    _check_buffer(out, x)
    library.take_out(x, indices, out)
    return out, indices, layout


def _put_masked(rows: Tensor, mask: Tensor, max_len: int | None, value: complex, out: Tensor | None) -> Tensor:
    """Rows where the mask is one, ``value`` elsewhere."""
    checks.check_mask(mask)
    batch, columns = mask.shape
    if max_len is not None and max_len != columns:
        raise checks.RaggedError("max_len", max_len, f"{columns}, the second dim of mask, or nothing")
    positions, _, _ = library.ragged_mask_layout(mask, columns)
    if out is None:
        return library.put(rows, positions, batch, columns, value)
    _check_buffer(out, rows)
    library.put_out(rows, positions, batch, columns, value, out)
    return out


def _check_buffer(out: object, source: Tensor) -> None:
    checks.check_tensor(out, "out", 1, "of the result's shape")
    assert isinstance(out, Tensor)
    checks.check_kind(out, source)
    checks.check_no_gradient(out, source)


def _check_one_of(**given: object) -> None:
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        raise checks.RaggedError(" / ".join(given), " and ".join(names) or "none of them", "exactly one")


def _limit(max_len_of_x: int, max_len: int | None) -> int:
    if max_len is None:
        return max_len_of_x
    checks.check_count(max_len, "max_len")
    return min(max_len_of_x, max_len)

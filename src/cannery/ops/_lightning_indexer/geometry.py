"""Which rows exist and how many keys each of them sees.

Source of the contract: ``recursion-ascend/ops-transformer``,
``attention/dense_lightning_indexer_kl_loss_grad/op_kernel/arch35/dense_lightning_indexer_kl_loss_grad_kernel_base.h``
(``GetTndSeqLen`` and the row walk), a093e95.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from cannery.core import Refusal

Lengths = torch.Tensor | np.ndarray | Sequence[int] | None
Ints = np.ndarray[Any, np.dtype[np.int64]]
Rows = int | Lengths | Callable[[int], int | Lengths]

NO_MASK, CAUSAL = 0, 3


class ArgumentError(Refusal, ValueError):
    """An argument that does not fit the call: lengths beyond their tensor, a shape or a value that is not allowed."""


@dataclass(frozen=True)
class Segments:
    """The batches of one call, one element each: int64 arrays of shape (B,).

    Attributes:
        q_start: first token row of the batch in the flattened queries.
        q_len: query rows that are used.
        k_start: first key of the batch in the flattened keys.
        k_len: (compressed) keys that are used.
        residual: tokens behind the last whole group of ``cmp_ratio`` original keys.
    """

    q_start: Ints
    q_len: Ints
    k_start: Ints
    k_len: Ints
    residual: Ints

    @property
    def used(self) -> int:
        """Query rows in use, of all batches."""
        return int(self.q_len.sum())


@dataclass(frozen=True)
class RowTable:
    """The rows that have work, ascending by token: int64 arrays of equal length.

    Attributes:
        token: row in the flattened queries (TND: the token, BSND: ``b * S1 + s1``).
        segment: the batch it belongs to.
        visible: the number of keys it sees, at least 1; they are a prefix of the batch's keys.
    """

    token: Ints
    segment: Ints
    visible: Ints

    def __len__(self) -> int:
        return int(self.token.shape[0])


def segments(
    *,
    q_shape: Sequence[int],
    k_shape: Sequence[int],
    layout_q: str = "BSND",
    layout_k: str = "BSND",
    cu_q: Lengths = None,
    cu_k: Lengths = None,
    seqused_q: Lengths = None,
    seqused_k: Lengths = None,
    residual: Lengths = None,
) -> Segments:
    """Read the lengths of a call.

    Args:
        q_shape, k_shape: shapes of q and k, (T, N, D) for TND and (B, S, N, D) for BSND.
        layout_q, layout_k: "TND" or "BSND".
        cu_q, cu_k: (B+1,) prefix sums of the lengths; needed for TND, ignored for BSND.
        seqused_q, seqused_k: (B,) used lengths, at most the batch's own length.
        residual: (B,) tokens beyond the last whole compressed group.

    Tensors on another device cost one copy each to the host; a BSND call without lengths copies nothing.

    Raises:
        ArgumentError: lengths that are negative, decreasing, too long for the tensor, or of another batch size.
    """
    q_start, q_room = _extent("cu_seqlens_q", q_shape, layout_q, cu_q)
    k_start, k_room = _extent("cu_seqlens_k", k_shape, layout_k, cu_k)
    if len(q_start) != len(k_start):
        name = "cu_seqlens_k" if layout_k == "TND" else "k"
        raise ArgumentError(name, f"{len(k_start)} batches of keys", f"{len(q_start)}, as the queries have")
    zeros = np.zeros(len(q_start), np.int64)
    return Segments(
        q_start,
        _used("seqused_q", seqused_q, q_room),
        k_start,
        _used("seqused_k", seqused_k, k_room),
        zeros if residual is None else _per_batch("cmp_residual_k", residual, len(zeros)),
    )


def visible_counts(seg: Segments, index: Ints, row: Ints, *, mask_mode: int, cmp_ratio: int) -> Ints:
    """Visible keys of row ``row`` (inside its batch) of batch ``index``: the prefix length, 0 for a row that sees
    nothing.

    Key ``j`` is seen iff ``(j + 1) * r <= k_len * r + residual + (row + 1) - q_len``; mask 0 shows every used key.

    Raises:
        ArgumentError: a residual that is not smaller than the ratio under the causal mask. The original accepts it
            and runs past the batch's keys.
    """
    if mask_mode == NO_MASK:
        return seg.k_len[index]
    check_residual(seg.residual, cmp_ratio)
    behind_last = seg.k_len * cmp_ratio + seg.residual - seg.q_len
    return np.maximum(0, (behind_last[index] + row + 1) // cmp_ratio)


def check_mask(mask_mode: int, cmp_ratio: int) -> None:
    """Refuse masks other than 0 (none) and 3 (causal, aligned bottom right), and ratios below 1."""
    if mask_mode not in (NO_MASK, CAUSAL):
        raise ArgumentError("mask_mode", str(mask_mode), "0 (no mask) or 3 (causal, aligned bottom right)")
    if cmp_ratio < 1:
        raise ArgumentError("cmp_ratio", str(cmp_ratio), "at least 1")


def check_residual(residual: Ints, cmp_ratio: int) -> None:
    """Refuse a residual outside ``0 .. cmp_ratio - 1``."""
    bad = np.flatnonzero((residual < 0) | (residual >= cmp_ratio))
    if bad.size:
        found = f"{residual[bad[0]]} at index {bad[0]}"
        raise ArgumentError("cmp_residual_k", found, f"0 <= residual < cmp_ratio = {cmp_ratio}")


def row_table(seg: Segments, *, mask_mode: int = 0, cmp_ratio: int = 1, rows: Rows = None) -> RowTable:
    """Rows with work among ``rows``, ascending by token.

    Args:
        rows: None for every used row; a count for the first ``rows`` of them; or their numbers in any order. Numbers
            run over the used rows of all batches, one batch after the other. Or a function from how many those are to
            one of these.

    Raises:
        ArgumentError: a number outside the used rows, or one given twice.
    """
    check_mask(mask_mode, cmp_ratio)
    ends = np.cumsum(seg.q_len)
    number = _selected(rows(seg.used) if callable(rows) else rows, seg.used)
    index = np.searchsorted(ends, number, side="right").astype(np.int64)
    row = number - (ends - seg.q_len)[index] if len(ends) else number
    visible = visible_counts(seg, index, row, mask_mode=mask_mode, cmp_ratio=cmp_ratio)
    work = visible > 0
    return RowTable((seg.q_start[index] + row)[work], index[work], visible[work])


def as_int64(name: str, values: Lengths) -> Ints:
    """A host copy of a length argument as int64.

    Raises:
        ArgumentError: the values are no integers of 64 bits.
    """
    try:
        host = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)
    except (TypeError, ValueError, OverflowError) as failure:
        raise ArgumentError(name, str(failure), "integers") from None
    if host.size and (host.dtype.kind not in "iu" or host.max() > np.iinfo(np.int64).max):
        raise ArgumentError(name, f"{values!r:.60} ({host.dtype})", "integers of at most 63 bits")
    return host.astype(np.int64).reshape(-1)


def _selected(rows: int | Lengths, total: int) -> Ints:
    if rows is None:
        return np.arange(total, dtype=np.int64)
    if isinstance(rows, int):
        _check_row_numbers(rows, rows - 1, total)
        return np.arange(rows, dtype=np.int64)
    number = np.sort(as_int64("rows", rows))
    if number.size:
        _check_row_numbers(int(number[0]), int(number[-1]), total)
    twice = np.flatnonzero(number[1:] == number[:-1])
    if twice.size:
        raise ArgumentError("rows", f"row {number[twice[0]]} twice", "each row once")
    return number


def _check_row_numbers(lowest: int, highest: int, total: int) -> None:
    if lowest < 0 or highest >= total:
        found = lowest if lowest < 0 else highest
        raise ArgumentError("rows", f"row {found}", f"rows 0 .. {total - 1}, the call has {total}")


def _extent(name: str, shape: Sequence[int], layout: str, cu: Lengths) -> tuple[Ints, Ints]:
    if layout == "BSND":
        batch, length = shape[0], shape[1]
        return np.arange(batch, dtype=np.int64) * length, np.full(batch, length, np.int64)
    if cu is None:
        raise ArgumentError(name, "nothing", "a tensor of B + 1 prefix sums, which layout TND needs")
    ends = as_int64(name, cu)
    _check_prefix_sums(name, ends, shape[0])
    return ends[:-1], np.diff(ends)


def _check_prefix_sums(name: str, ends: Ints, tokens: int) -> None:
    if not ends.size:
        raise ArgumentError(name, "an empty tensor", "B + 1 prefix sums")
    if ends[0] != 0:
        raise ArgumentError(name, f"{ends[0]} at index 0", "0: the first batch starts at token 0")
    falls = np.flatnonzero(np.diff(ends) < 0)
    if falls.size:
        at = int(falls[0]) + 1
        raise ArgumentError(name, f"{ends[at]} at index {at}", f"at least {ends[at - 1]}, the element before it")
    if ends[-1] > tokens:
        raise ArgumentError(name, f"{ends[-1]} at index {len(ends) - 1}", f"at most {tokens}, the tokens of the tensor")


def _used(name: str, used: Lengths, room: Ints) -> Ints:
    if used is None:
        return room
    length = _per_batch(name, used, len(room))
    bad = np.flatnonzero((length < 0) | (length > room))
    if bad.size:
        raise ArgumentError(name, f"{length[bad[0]]} at index {bad[0]}", f"0 .. {room[bad[0]]}, the batch's length")
    return length


def _per_batch(name: str, values: Lengths, batch: int) -> Ints:
    array = as_int64(name, values)
    if len(array) != batch:
        raise ArgumentError(name, f"{len(array)} elements", f"{batch}, one a batch")
    return array

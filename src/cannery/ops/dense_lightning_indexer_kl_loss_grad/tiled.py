"""Loss and gradients window by window of rows, the target given or built on the way; no S × S tensor is ever whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from cannery.ops._lightning_indexer.engine import has_kernels
from cannery.ops._lightning_indexer.geometry import ArgumentError, RowTable
from cannery.ops._lightning_indexer.grad_tensors import GradTensors
from cannery.ops._lightning_indexer.lse import write_lse
from cannery.ops._lightning_indexer.operands import Geometry, Operands, operands
from cannery.ops._lightning_indexer.plan import take
from cannery.ops._threads.workers import run_each, workers
from cannery.ops.dense_lightning_indexer_kl_loss_grad.eager import cast_dk, compute

# A window's softmax, and its target where that is built, stay within this.
WINDOW_BYTES = 8 << 20
# The scores of the main attention that one thread has at a time.
PART_BYTES = 2 << 20
MAX_WINDOW = 1024


@dataclass(frozen=True)
class Window:
    """Rows of consecutive tokens ``first .. last - 1``; ``columns`` is the most that any of them sees."""

    first: int
    last: int
    table: RowTable
    columns: int


Target = Callable[[Operands, Window], torch.Tensor]


class RowLosses(NamedTuple):
    """loss: a value a row, (T,) or (B, S) in the dtype of w, zero for rows that see nothing; dq, dk, dw of their sum.

    used: how many rows the batches use, computed here or not.
    """

    loss: torch.Tensor
    dq: torch.Tensor
    dk: torch.Tensor
    dw: torch.Tensor
    used: int


def row_losses(
    q: torch.Tensor,
    k: torch.Tensor,
    w: torch.Tensor,
    target: Target,
    geometry: Geometry,
    *,
    check: Callable[[Operands], None],
    row_weight: torch.Tensor | None = None,
) -> RowLosses:
    """The loss of each row and the gradients of their sum, or of their sum weighted by ``row_weight``.

    The gradients have the bits of ``kl_loss_grad`` with the whole target.

    Args:
        q, k, w: as ``kl_loss_grad`` has them.
        target: gives the target of a window: (last - first, at least columns) in the dtype of w; rows that are not in
            the window's table may hold anything.
        geometry: layouts, lengths, mask and rows.
        check: judges what the target is made of, before anything is computed.
        row_weight: (T,) or (B, S) in the dtype of w; it scales a row's gradients, not its loss.

    Raises:
        ArgumentError: an argument that does not fit the others.
    """
    call = operands(q, k, w, geometry)
    check(call)
    lse = call.w.new_full(call.w.shape[:1], -torch.inf)
    write_lse(call, lse)
    like = torch.contiguous_format
    dq, dk, dw = (torch.zeros_like(x, memory_format=like, requires_grad=False) for x in (q, k, w))
    loss = call.w.new_zeros(q.shape[:-2])
    wide_dk = torch.zeros_like(call.k, dtype=call.precision if has_kernels(call.q) else call.working)
    weight = None if row_weight is None else row_weight.detach().flatten()
    room = call.w.new_empty(_widest(call) * _window_rows(call))
    rows = _Rows(lse, dq.view(call.q.shape), wide_dk, dw.view(call.w.shape), loss.view(-1), weight, room)
    for window in windows(call):
        _compute_window(call, window, target(call, window), rows)
    cast_dk(wide_dk, dk)
    return RowLosses(loss, dq, dk, dw, call.seg.used)


@dataclass(frozen=True)
class _Rows:
    """What a call's windows share, flattened: lse (T,), results, the weight of a row or None, room for one softmax."""

    lse: torch.Tensor
    dq: torch.Tensor
    dk: torch.Tensor
    dw: torch.Tensor
    loss: torch.Tensor
    weight: torch.Tensor | None
    room: torch.Tensor


def windows(call: Operands) -> Iterator[Window]:
    """Cut the rows with work into windows of at most WINDOW_BYTES of softmax."""
    table = call.table
    if not len(table):
        return
    size = _window_rows(call)
    first = int(table.token[0])
    while True:
        lo, hi = np.searchsorted(table.token, (first, first + size)).tolist()
        yield Window(first, first + size, take(table, slice(lo, hi)), int(table.visible[lo:hi].max()))
        if hi == len(table):
            return
        first = int(table.token[hi])


def _widest(call: Operands) -> int:
    return int(call.table.visible.max()) if len(call.table) else 0


def _window_rows(call: Operands) -> int:
    row_bytes = max(1, _widest(call)) * call.w.element_size()
    return max(1, min(MAX_WINDOW, WINDOW_BYTES // row_bytes))


def _compute_window(call: Operands, window: Window, p: torch.Tensor, rows: _Rows) -> None:
    part = slice(window.first, window.last)
    table = RowTable(window.table.token - window.first, window.table.segment, window.table.visible)
    q = call.q[part]
    y = rows.room[: len(q) * window.columns].view(len(q), window.columns)
    # The loss is that of the target, not of the weighted one.
    loss = rows.loss[part] if rows.weight is None else None
    if rows.weight is not None:
        p = p * rows.weight[part, None]
    compute(
        Operands(q, call.k, call.w[part], call.seg, table),
        GradTensors(p.contiguous(), rows.lse[part], rows.dq[part], rows.dk, rows.dw[part], y, loss),
        torch.are_deterministic_algorithms_enabled(),
    )


@dataclass(frozen=True)
class ReadyTarget:
    """The target as a tensor: (T, 1, columns) or (B, S, 1, columns), or without the head dim, in the dtype of w."""

    p: torch.Tensor
    rows: tuple[int, ...]

    def check(self, call: Operands) -> None:
        """Refuse another dtype, other rows, or fewer columns than a row sees."""
        lead = tuple(self.p.shape[: len(self.rows)])
        is_shaped = lead == self.rows and tuple(self.p.shape[len(self.rows) : -1]) in ((1,), ())
        if self.p.dtype is not call.precision:
            raise ArgumentError("target", str(self.p.dtype), str(call.precision))
        if not is_shaped or self.p.shape[-1] < _widest(call):
            expected = f"({', '.join(map(str, self.rows))}, 1, columns) with at least {_widest(call)} columns"
            raise ArgumentError("target", f"shape {tuple(self.p.shape)}", expected)

    def __call__(self, call: Operands, window: Window) -> torch.Tensor:
        """The window's rows."""
        return self.p.detach().flatten(0, len(self.rows) - 1)[window.first : window.last].flatten(1)


@dataclass(frozen=True)
class AttentionTarget:
    """The main attention's softmax, averaged over its heads, over the keys that the indexer's row sees.

    Attributes:
        q: (T, heads, D) or (B, S, heads, D) queries of the main attention.
        k: (T2, key heads, D) or (B, S2, key heads, D) its keys, as many as the indexer's; key heads divide heads.
        scale: what its scores are multiplied with.
        rows, keys: leading dims of the indexer's q and k.
    """

    q: torch.Tensor
    k: torch.Tensor
    scale: float
    rows: tuple[int, ...]
    keys: tuple[int, ...]

    def check(self, call: Operands) -> None:
        """Refuse other rows or keys than the indexer's, heads that do not divide, head sizes that differ."""
        for name, tensor, lead in (("attn_q", self.q, self.rows), ("attn_k", self.k, self.keys)):
            if tensor.dim() != len(lead) + 2 or tuple(tensor.shape[: len(lead)]) != lead:
                expected = f"({', '.join(map(str, lead))}, heads, head size)"
                raise ArgumentError(name, f"shape {tuple(tensor.shape)}", expected)
        if self.q.shape[-1] != self.k.shape[-1]:
            raise ArgumentError("attn_k", f"a head size of {self.k.shape[-1]}", f"{self.q.shape[-1]}, as attn_q")
        if not self.k.shape[-2] or self.q.shape[-2] % self.k.shape[-2]:
            raise ArgumentError(
                "attn_q", f"{self.q.shape[-2]} heads", f"a multiple of {self.k.shape[-2]}, as attn_k has"
            )

    def __call__(self, call: Operands, window: Window) -> torch.Tensor:
        """Rows of the window's table; the others are zero."""
        out = call.w.new_zeros(min(window.last, call.q.shape[0]) - window.first, window.columns)
        q, k = self.q.detach().flatten(0, -3), self.k.detach().flatten(0, -3)
        row_bytes = window.columns * q.shape[1] * call.w.element_size()
        step = max(1, PART_BYTES // row_bytes)
        batch, first = np.unique(window.table.segment, return_index=True)
        with workers() as run:
            for index, lo, hi in zip(batch.tolist(), first, [*first[1:], len(window.table)], strict=True):
                keys = k[int(call.seg.k_start[index]) :][: int(window.table.visible[lo:hi].max())].to(call.precision)
                parts = [take(window.table, slice(start, min(start + step, hi))) for start in range(lo, hi, step)]
                run_each(run, partial(self._write_rows, q, keys, out[:, : keys.shape[0]], window.first), parts)
        return out

    def _write_rows(self, q: torch.Tensor, keys: torch.Tensor, out: torch.Tensor, first: int, part: RowTable) -> None:
        token = torch.from_numpy(part.token).to(q.device)
        visible = torch.from_numpy(part.visible).to(q.device)
        out[token - first] = self._softmax(q[token].to(keys.dtype), keys, visible)

    def _softmax(self, q: torch.Tensor, k: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        """(R, keys) of q (R, heads, D), k (keys, key heads, D), visible (R,)."""
        groups = q.unflatten(1, (k.shape[1], -1)).transpose(0, 1)  # (key heads, R, heads a key head, D)
        score = torch.matmul(groups.flatten(1, 2), k.permute(1, 2, 0)).unflatten(1, groups.shape[1:3])
        hidden = torch.arange(k.shape[0], device=q.device) >= visible[:, None]
        score = score.mul_(self.scale).masked_fill_(hidden[:, None], -torch.inf)
        return score.softmax(-1).mean(dim=(0, 2))

"""The operands of a call, flattened and fitted together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import torch

from cannery.ops._lightning_indexer.geometry import (
    ArgumentError,
    Lengths,
    Rows,
    RowTable,
    Segments,
    row_table,
    segments,
)


@dataclass(frozen=True)
class Operands:
    """What both operators read, contiguous and without the batch dimension.

    Attributes:
        q: (T, H, D) queries.
        k: (T2, D) keys.
        w: (T, H) head weights in the precision of the computation: float64 with float64 queries, else float32.
        seg: the batches.
        table: the rows that have work.
    """

    q: torch.Tensor
    k: torch.Tensor
    w: torch.Tensor
    seg: Segments
    table: RowTable

    @property
    def precision(self) -> torch.dtype:
        """The dtype of w and of everything that is not q, k or their gradients."""
        return precision_of(self.q)

    @property
    def working(self) -> torch.dtype:
        """The dtype to compute in.

        float32 operands take float64: a score near zero, on the wrong side of it, switches a term of dq and dk on or
        off, an error of 1e-3 where they promise 1e-6.
        """
        wide = self.q.dtype is torch.float32 and self.q.device.type in _HAVE_FLOAT64
        return torch.float64 if wide else self.precision


_HAVE_FLOAT64 = ("cpu", "cuda")
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def precision_of(q: torch.Tensor) -> torch.dtype:
    """float64 for float64 queries, else float32."""
    return torch.float64 if q.dtype is torch.float64 else torch.float32


class Geometry(TypedDict, total=False):
    """Which rows see which keys; every item has a default.

    Items:
        layout_q, layout_k: "BSND" (default) or "TND".
        cu_q, cu_k: (B+1,) prefix sums of the lengths; needed for TND, not read for BSND.
        seqused_q, seqused_k: (B,) used lengths, at most the batch's own; default all of it.
        residual: (B,) original tokens behind the last whole group, 0 .. cmp_ratio - 1; default 0.
        mask_mode: 0 (default) every used key, 3 causal, aligned bottom right.
        cmp_ratio: original tokens that a key stands for, default 1.
        rows: None (default) for all rows, a count for the first so many, or row numbers in any order; numbers run
            over the used rows of all batches, one batch after the other. Or a function from the number of used rows to
            one of these.

    Lengths are int tensors or sequences. Tensors on another device cost one copy each to the host.
    """

    layout_q: str
    layout_k: str
    cu_q: Lengths
    cu_k: Lengths
    seqused_q: Lengths
    seqused_k: Lengths
    residual: Lengths
    mask_mode: int
    cmp_ratio: int
    rows: Rows


def operands(q: torch.Tensor, k: torch.Tensor, w: torch.Tensor, geometry: Geometry) -> Operands:
    """Flatten and check q (T, H, D) or (B, S, H, D), k with one head, and w.

    Raises:
        ArgumentError: a tensor whose shape or dtype does not fit q, or lengths that do not fit the tensors.
    """
    for name, tensor in (("q", q), ("k", k)):
        check_rank(name, tensor, layout(geometry, name))
    if q.dtype not in _FLOATS:
        raise ArgumentError("q", str(q.dtype), "float16, bfloat16, float32 or float64")
    if not q.shape[-2]:
        raise ArgumentError("q", "no heads", "at least one")
    check("k", k, q.dtype, (*k.shape[:-2], 1, q.shape[-1]))
    check("w", w, precision_of(q), q.shape[:-1])
    seg = segments(
        q_shape=q.shape,
        k_shape=k.shape,
        **{name: value for name, value in geometry.items() if name not in _ROW_ITEMS},  # type: ignore[arg-type]
    )
    return Operands(
        q.detach().flatten(0, -3).contiguous(),
        k.detach().flatten(0, -2).contiguous(),
        w.detach().flatten(0, -2).contiguous(),
        seg,
        row_table(seg, **{name: value for name, value in geometry.items() if name in _ROW_ITEMS}),  # type: ignore[arg-type]
    )


_ROW_ITEMS = ("mask_mode", "cmp_ratio", "rows")


def layout(geometry: Geometry, name: str) -> str:
    """The layout of q or k."""
    return (geometry.get("layout_q") if name == "q" else geometry.get("layout_k")) or "BSND"


def check_rank(name: str, tensor: torch.Tensor, spelling: str) -> None:
    """Refuse an unknown layout, or a tensor of another rank than its layout."""
    rank = {"TND": 3, "BSND": 4}.get(spelling)
    if rank is None:
        raise ArgumentError(f"layout_{name}", spelling, "TND or BSND")
    if tensor.dim() != rank:
        raise ArgumentError(name, f"shape {tuple(tensor.shape)}", f"{rank} dimensions, layout {spelling}")


def check(name: str, tensor: torch.Tensor, dtype: torch.dtype, shape: tuple[int, ...] | torch.Size) -> None:
    """Refuse a tensor of another dtype or shape."""
    if tensor.dtype is not dtype:
        raise ArgumentError(name, str(tensor.dtype), str(dtype))
    if tuple(tensor.shape) != tuple(shape):
        raise ArgumentError(name, f"shape {tuple(tensor.shape)}", str(tuple(shape)))

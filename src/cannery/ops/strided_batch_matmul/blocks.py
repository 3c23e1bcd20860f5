"""Where the matrices of a call lie in flat memory. Positions count elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from cannery.operator import CallContext
from cannery.ops._train.contract import wrap_int32


@dataclass(frozen=True)
class Block:
    """``rows`` rows of ``columns`` elements, ``leading`` apart, from ``start`` on."""

    start: int
    rows: int
    columns: int
    leading: int

    @property
    def stop(self) -> int:
        """One behind the last element."""
        return self.start + (self.rows - 1) * self.leading + self.columns

    def of(self, flat: torch.Tensor) -> torch.Tensor:
        """The matrix (rows, columns) in the memory, not copied."""
        span = flat[self.start : self.stop]
        return span.as_strided((self.rows, self.columns), (self.leading, 1))


@dataclass(frozen=True)
class Sample:
    """The blocks of every head of a sample: those of the first head, and how far apart the heads are."""

    index: int
    blocks: Mapping[str, Block]
    strides: Mapping[str, int]

    def head(self, tensor: str, head: int) -> Block:
        """The block of a head."""
        first = self.blocks[tensor]
        return Block(first.start + head * self.strides[tensor], first.rows, first.columns, first.leading)


def samples(context: CallContext) -> Iterator[Sample]:
    """The samples in order. With quirks, C moves on by the int32 product the kernel has."""
    attrs, heads = context.attrs, context.attrs["headNum"]
    starts = dict.fromkeys("ABC", 0)
    for index in range(attrs["batch"]):
        m, n, k = (attrs[name][index] for name in "mnk")
        yield Sample(index, _blocks(attrs, index, starts), {t: attrs[f"stride{t}"][index] for t in "ABC"})
        product = wrap_int32(m * n) if context.quirks else m * n
        starts = {t: starts[t] + size * heads for t, size in zip("ABC", (m * k, n * k, product), strict=True)}


def _blocks(attrs: Mapping[str, Any], index: int, starts: Mapping[str, int]) -> dict[str, Block]:
    m, n, k = (attrs[name][index] for name in "mnk")
    shapes = {
        "A": (k, m) if attrs["transposeA"] else (m, k),
        "B": (n, k) if attrs["transposeB"] else (k, n),
        "C": (m, n),
    }
    return {t: Block(starts[t], *shape, attrs[f"ld{t.lower()}"][index]) for t, shape in shapes.items()}

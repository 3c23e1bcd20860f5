"""Attention scores without padding: for every sample ``heads`` blocks of s × s elements, one block after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import torch

from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext


@dataclass(frozen=True)
class Squares:
    """``heads`` square blocks for each of the ``lengths``."""

    heads: int
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, context: CallContext, lengths: str) -> Squares:
        """The blocks of a call, whose attribute ``lengths`` has the sides."""
        return cls(context.attrs["headNum"], context.attrs[lengths])

    @property
    def count(self) -> int:
        """Number of elements, exact."""
        return self.heads * sum(length * length for length in self.lengths)

    def blocks(self, flat: torch.Tensor) -> Iterator[torch.Tensor]:
        """The blocks of each sample as rows, (heads · s, s)."""
        sizes = [self.heads * length * length for length in self.lengths]
        for block, length in zip(flat.split(sizes), self.lengths, strict=True):
            yield block.view(-1, length)


def check_rank(context: CallContext, stage: Stage, name: str, desc: TensorDesc, code: IntEnum) -> None:
    """A tensor has one dim.

    Raises:
        OperatorError: with ``code``.
    """
    if desc.shape.rank != 1:
        raise context.error(stage, name, f"{desc.shape.rank} dims", "1 dim", code)


def check_count(context: CallContext, stage: Stage, name: str, desc: TensorDesc, count: int, code: IntEnum) -> None:
    """A tensor's first dim is ``count``.

    Raises:
        OperatorError: with ``code``.
    """
    if desc.shape[0] != count:
        raise context.error(stage, name, desc.shape, f"[{count}]", code)

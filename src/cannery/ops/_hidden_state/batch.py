"""A ragged batch in its two layouts: padded [B, M, H] and packed [N, H]. Positions are exact and count elements."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cannery.core import Shape
from cannery.operator import CallContext


@dataclass(frozen=True)
class Batch:
    """Samples of ``lengths`` rows, each row ``hidden`` wide, padded to ``max_seq_len`` rows or packed without gaps."""

    lengths: tuple[int, ...]
    max_seq_len: int
    hidden: int

    @classmethod
    def of(cls, context: CallContext) -> Batch:
        """The batch of a call: the last dim of x is the hidden size in either layout."""
        return cls(context.attrs["qSeqLen"], context.attrs["maxSeqLen"], context.required("x").shape[-1])

    def with_hidden(self, hidden: int) -> Batch:
        """The same samples with rows of another width."""
        return replace(self, hidden=hidden)

    @property
    def padded_shape(self) -> Shape:
        """[B, M, H]."""
        return Shape((len(self.lengths), self.max_seq_len, self.hidden))

    @property
    def packed_shape(self) -> Shape:
        """[N, H]."""
        return Shape((sum(self.lengths), self.hidden))

    def padded_offset(self, sample: int) -> int:
        """Where a sample starts in the padded layout."""
        return sample * self.max_seq_len * self.hidden

    def packed_offset(self, sample: int) -> int:
        """Where a sample starts in the packed layout."""
        return sum(self.lengths[:sample]) * self.hidden

    def length(self, sample: int) -> int:
        """How many elements a sample has."""
        return self.lengths[sample] * self.hidden

    def padding(self, sample: int) -> int:
        """How many elements follow a sample in the padded layout."""
        return (self.max_seq_len - self.lengths[sample]) * self.hidden

"""Shapes as CANN understands them: a dim may be unknown (-1), and so may the rank ([-2])."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from math import prod

from cannery.core.loaded import is_torch

UNKNOWN_DIM = -1
UNKNOWN_DIM_NUM = -2
INT64_MAX = 2**63 - 1
_PLAIN = frozenset({int})


class Shape(tuple[int, ...]):
    """An immutable list of dims. ``Shape([2, -1])`` has an unknown dim, ``Shape([-2])`` an unknown rank.

    Source: hicann/metadef `inc/external/graph/types.h` @786891c0 (UNKNOWN_DIM, UNKNOWN_DIM_NUM).

    Raises:
        TypeError: a dim is not an integer.
    """

    __slots__ = ()

    def __new__(cls, dims: Iterable[int] = ()) -> Shape:
        values = tuple(dims)
        # Shapes are made many times a call, nearly always of plain integers.
        return super().__new__(cls, values if _PLAIN.issuperset(map(type, values)) else map(_as_dim, values))

    @classmethod
    def unknown_rank(cls) -> Shape:
        """The shape of which not even the rank is known, spelled ``[-2]``."""
        return cls((UNKNOWN_DIM_NUM,))

    @property
    def rank(self) -> int:
        """Number of dims as the original counts them: ``[-2]`` has one."""
        return len(self)

    @property
    def is_unknown_rank(self) -> bool:
        """Whether the rank itself is unknown."""
        return tuple(self) == (UNKNOWN_DIM_NUM,)

    @property
    def is_unknown(self) -> bool:
        """Whether a dim or the rank is unknown."""
        return any(dim < 0 for dim in self)

    def element_count(self) -> int | None:
        """Number of elements; None while a dim or the rank is unknown.

        Raises:
            OverflowError: the number does not fit int64. A wrapped number is never returned.
        """
        if self.is_unknown:
            return None
        count = prod(self)
        if count > INT64_MAX:
            raise OverflowError(f"shape {list(self)}: {count} elements are too many for int64")
        return count

    def __repr__(self) -> str:
        return f"[{', '.join(map(str, self))}]"


def _as_dim(dim: object) -> int:
    if type(dim) is int:
        return dim
    if is_torch(dim, "SymInt"):  # what tracing does not know yet stays so
        return dim  # type: ignore[return-value]
    if isinstance(dim, bool):
        raise TypeError(f"shape: found {dim!r}, expected an integer")
    try:
        return operator.index(dim)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"shape: found {dim!r}, expected an integer") from None

"""Source and destination of one vector instruction over the same bytes.

They may be equal: same start, same strides. A partial overlap is not allowed, nor may an iteration read what an earlier
one wrote, except in a few binary instructions that accumulate into their second source with a repeat stride of 0
(mirror-cann/asc-devkit, general address overlap constraints, @82b89a15f). A narrower result may stand at the start of
its source; a wider one may not (Cast). What a gather reads is looked up and has no place here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from cannery.aicore.instruction import Access, Runs

ACCUMULATING: Final = frozenset({"add", "sub", "mul", "max", "min", "add_relu", "sub_relu"})
"""Instructions that may read in one iteration what the one before wrote, as their second source."""
_OLD_DESTINATION: Final = frozenset({"mul_add_dst", "fused_mul_add", "fused_mul_add_relu", "axpy"})
"""Instructions whose last source is the destination itself."""


def clashing(op: str, target: Access, sources: Sequence[Access]) -> Access | None:
    """The source that the destination overlaps as it must not, None where all is well."""
    if not _is_inside(target):
        return None
    for place, source in enumerate(sources):
        if source.lower >= target.upper or target.lower >= source.upper or source.memory is not target.memory:
            continue
        if source.lower == target.lower and source.upper == target.upper and source.runs is target.runs is None:
            continue
        if _is_inside(source) and not _is_allowed(op, target, source, is_last=place == len(sources) - 1):
            return source
    return None


def shares_bytes(target: Access, other: Access) -> bool:
    """Whether two operands that must lie apart, inside their tensors, have a byte in common."""
    if other.memory is not target.memory or not (_is_inside(target) and _is_inside(other)):
        return False
    return other.lower < target.upper and target.lower < other.upper and _overlap(target, other)


def _is_allowed(op: str, target: Access, source: Access, *, is_last: bool) -> bool:
    if is_last and op in _OLD_DESTINATION:
        return True
    if not _overlap(target, source):
        return True
    if source.lower != target.lower:
        return False
    if is_last and op in ACCUMULATING and (_repeats(target.runs) or _repeats(source.runs)):
        return True
    if target.size != source.size:
        return target.size < source.size
    return target.runs == source.runs and not _repeats(target.runs)


def _is_inside(access: Access) -> bool:
    """Whether it stays in its tensor: what lies beyond is a finding of its own."""
    return bool(access.owner.lower <= access.lower and access.upper <= access.owner.upper)


def _overlap(one: Access, other: Access) -> bool:
    """Whether any byte is in both."""
    pieces = one.runs or ((0, one.upper - one.lower),)
    return any(other.touches(one.lower + start, one.lower + stop) for start, stop in pieces)


def _repeats(runs: Runs | None) -> bool:
    """Whether bytes are touched more than once: a repeat stride of 0, or less than a repeat."""
    if runs is None:
        return False
    ordered = sorted(runs)
    return any(after[0] < before[1] for before, after in pairwise(ordered))

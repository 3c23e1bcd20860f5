"""GE's runtime shape, where it differs from the truth. Only faithful calls (``quirks=True``) use it.

Source: hicann/metadef `inc/external/exe_graph/runtime/shape.h` @786891c0.
"""

from __future__ import annotations

from collections.abc import Iterable

from cannery.core import INT64_MAX, Shape

MAX_DIM_NUM = 25
INT64_MIN = -INT64_MAX - 1


def wrap_int64(value: int) -> int:
    """The value a signed 64-bit integer holds after silent overflow."""
    return (value - INT64_MIN) % 2**64 + INT64_MIN


def cut(dims: Iterable[int]) -> Shape:
    """The dims a ``gert::Shape`` keeps: appending beyond the 25th is silently ignored."""
    return Shape(tuple(dims)[:MAX_DIM_NUM])


def shape_size(shape: Shape) -> int:
    """``GetShapeSize``: negative dims are multiplied like any other, overflow gives the smallest int64."""
    size = 1
    for dim in shape:
        size *= dim
        if not INT64_MIN <= size <= INT64_MAX:
            return INT64_MIN
    return size

"""Where the matrices of a batch lie
(mirror-cann/asc-devkit docs, advanced API, Matmul, IterateBatch, @82b89a15f).

NORMAL: one matrix behind the other. The others are tensors of five dims that the tiling names: BSNGD [B, S, N, G, D]
and SBNGD [S, B, N, G, D], in which S and D are a matrix and the next one begins D elements further; BNGS1S2
[B, N, G, S1, S2], in which the matrices follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cannery.isa.enums import LayoutMode
from cannery.isa.matmul import Batch
from cannery.isa.matmul_plan import Shape

Layouts = tuple[LayoutMode, LayoutMode, LayoutMode]
_MATRICES: Final = (("a", "s", "d"), ("b", "s", "d"), ("c", "s1", "s2"))
"""Of A, B and C: the tiling's prefix, and its names of rows and columns."""


class Dims(NamedTuple):
    """The five dims of a tensor; ``s`` and ``d`` are the matrix."""

    b: int
    s: int
    n: int
    g: int
    d: int


_PITCHES: Final[Mapping[LayoutMode, Callable[[Dims], int]]] = MappingProxyType(
    {
        LayoutMode.BSNGD: lambda dims: dims.n * dims.g * dims.d,
        LayoutMode.SBNGD: lambda dims: dims.b * dims.n * dims.g * dims.d,
        LayoutMode.BNGS1S2: lambda dims: dims.d,
    }
)
"""From row to row."""


def _dims(tiling: Any, at: int) -> Dims:
    prefix, rows, columns = _MATRICES[at]
    return Dims(*(int(getattr(tiling, f"{prefix}_layout_info_{name}")) for name in ("b", rows, "n", "g", columns)))


def laid_out(layouts: Layouts, tiling: Any, transposed: tuple[bool, bool]) -> dict[str, int]:
    """The sizes of a shape that say how far it is from row to row, where a layout says otherwise; ``transposed``: A
    and B.
    """
    names = ("m" if transposed[0] else "ka", "kb" if transposed[1] else "n", "kc")
    return {
        name: _PITCHES[LayoutMode(layout)](_dims(tiling, at))
        for at, (name, layout) in enumerate(zip(names, layouts, strict=True))
        if layout != LayoutMode.NORMAL
    }


def batches(
    op: str, shape: Shape, layouts: Layouts, tiling: Any, numbers: tuple[int, int], strides: tuple[int, int, int],
    *, bias: bool,
) -> list[Batch]:  # fmt: skip
    """The products of a batch. Of A and B the one with fewer matrices is used again and again.

    Raises:
        ValueError: neither number is a multiple of the other.
    """
    few, many = sorted(numbers)
    if few < 1 or many % few:
        raise ValueError(f"{op}: found batch_a {numbers[0]} and batch_b {numbers[1]}, expected multiples, 1 or more")
    whole = (shape.m * shape.ka, shape.kb * shape.n, shape.m * shape.n)
    steps = [
        stride or (size if layout == LayoutMode.NORMAL else _step(LayoutMode(layout), _dims(tiling, at)))
        for at, (layout, size, stride) in enumerate(zip(layouts, whole, strides, strict=True))
    ]
    per_a, per_b = (many // number for number in numbers)
    columns = shape.n if layouts[2] == LayoutMode.NORMAL else _dims(tiling, 2).d
    return [
        Batch(at // per_a * steps[0], at // per_b * steps[1], at * steps[2], at * columns if bias else 0)
        for at in range(many)
    ]


def _step(layout: LayoutMode, dims: Dims) -> int:
    """From matrix to matrix."""
    return dims.s * dims.d if layout is LayoutMode.BNGS1S2 else dims.d

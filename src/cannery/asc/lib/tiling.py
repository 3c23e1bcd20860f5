"""How a product is cut over cores and into blocks: legal tilings, not the original's numbers
(mirror-cann/asc-devkit docs, advanced API, Matmul tiling classes, @82b89a15f).

A tiling is legal when a block's operands fit L0A and L0B, its sums L0C, its bias the bias table, and what is kept of
them L1; and when a core's part begins at a multiple of its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from cannery.isa.fractal import SIDE, ceil
from cannery.soc import Soc

_TWICE: Final = 2
_MOST_ROWS: Final = 128
_MOST_COLUMNS: Final = 256
_MOST_DEPTH: Final = 4080
"""Beyond what mmad's field holds, in whole fractals."""
_SUMS: Final = 4
"""Bytes of a number in L0C."""
_CUBE: Final = SIDE * SIDE
_LOAD: Final = 4
"""Rows and columns whose load takes as long as a block of 16 × 16 takes to compute, for a depth of 16."""
_RESERVED: Final = 8192 + 256


@dataclass(frozen=True)
class Wish:
    """What is asked for.

    Attributes:
        m, n, k: the product.
        cores: how many there are; 0: one, or as many as given single sizes need.
        size: bytes of an element of A and B; ``c_size``: of C.
        bias: it has one.
        c_in_ub: C goes to UB, so that a block must fit there, twice, and none should be smaller than the others.
        single, base: sizes that are given, 0 where they are free.
        align: what single sizes must be multiples of.
        most: the largest base sizes.
        l1, l0c, ub: bytes that may be used.
    """

    m: int
    n: int
    k: int
    cores: int
    size: int
    c_size: int
    bias: bool
    c_in_ub: bool
    l1: int
    l0c: int
    ub: int
    single: tuple[int, int, int] = (0, 0, 0)
    base: tuple[int, int, int] = (0, 0, 0)
    align: tuple[int, int, int] = (1, 1, 1)
    most: tuple[int, int, int] = (_MOST_ROWS, _MOST_COLUMNS, _MOST_DEPTH)


class Cut(NamedTuple):
    """A tiling: the grid of cores, a core's part, a block, and buffers of each memory."""

    m_dim: int
    n_dim: int
    single: tuple[int, int, int]
    base: tuple[int, int, int]
    depth_a1: int
    depth_b1: int
    db_l0a: int
    db_l0b: int
    db_l0c: int


def cut(soc: Soc, wish: Wish) -> Cut | None:
    """The cheapest tiling that is legal on a chip; None: there is none."""
    found = [made for made in (_complete(soc, wish, grid) for grid in _grids(wish)) if made is not None]
    return min(found, key=lambda made: _cost(wish, made), default=None)


def _grids(wish: Wish) -> Iterator[tuple[int, int]]:
    """Rows and columns of a core's part."""
    if wish.single[0] and wish.single[1]:
        yield wish.single[0], wish.single[1]
        return
    cores = max(1, wish.cores)
    for rows in range(1, cores + 1):
        for columns in range(1, cores // rows + 1):
            yield _part(wish, 0, wish.m, rows), _part(wish, 1, wish.n, columns)


def _part(wish: Wish, axis: int, whole: int, dim: int) -> int:
    if wish.single[axis]:
        return wish.single[axis]
    if dim == 1:
        return whole
    step = max(SIDE, wish.align[axis])
    return min(whole, ceil(ceil(whole, dim), step) * step)


def _complete(soc: Soc, wish: Wish, part: tuple[int, int]) -> Cut | None:
    m_dim, n_dim = ceil(wish.m, part[0]), ceil(wish.n, part[1])
    if wish.cores and m_dim * n_dim > wish.cores:
        return None
    single = (*part, wish.single[2] or wish.k)
    blocks = [block for block in _blocks(soc, wish, single) if _fits(soc, wish, block)]
    if not blocks:
        return None
    base = min(blocks, key=lambda block: _waste(wish, single, block))
    return _buffered(soc, wish, (m_dim, n_dim), single, base)


def _blocks(soc: Soc, wish: Wish, single: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    for base_m in _sizes(wish.base[0], single[0], wish.most[0]):
        for base_n in _sizes(wish.base[1], single[1], wish.most[1]):
            yield base_m, base_n, wish.base[2] or _depth(soc, wish, single[2], max(base_m, base_n))


def _sizes(given: int, single: int, most: int) -> Iterator[int]:
    if given:
        yield given
        return
    yield from range(SIDE, min(most // SIDE * SIDE, ceil(single, SIDE) * SIDE) + 1, SIDE)


def _depth(soc: Soc, wish: Wish, k: int, side: int) -> int:
    """The deepest block of which L0A and L0B hold two."""
    step = max(SIDE, 32 // wish.size)
    room = min(soc.l0a_size, soc.l0b_size) // (_TWICE * wish.size * side) // step * step
    return max(step, min(room, ceil(k, step) * step, wish.most[2] // step * step))


def _fits(soc: Soc, wish: Wish, base: tuple[int, int, int]) -> bool:
    m, n, k = base
    needs = [
        (m * k * wish.size, soc.l0a_size), (n * k * wish.size, soc.l0b_size), (m * n * _SUMS, wish.l0c),
        ((m + n) * k * wish.size + n * (_SUMS + 8), wish.l1), (n * _SUMS * wish.bias, soc.bt_size),
    ]  # fmt: skip
    if wish.c_in_ub:
        times = 1 if wish.base[0] and wish.base[1] else _TWICE
        needs.append((times * m * n * wish.c_size, wish.ub - _RESERVED))
    return all(need <= room for need, room in needs)


def _waste(wish: Wish, single: tuple[int, int, int], base: tuple[int, int, int]) -> tuple[int, ...]:
    """Blocks that are smaller than the others, where that matters; what is computed and loaded; and the smaller depth
    last.
    """
    tails = (single[0] % base[0] > 0) + (single[1] % base[1] > 0)
    rows, columns = ceil(single[0], base[0]), ceil(single[1], base[1])
    computed, loaded = rows * columns * base[0] * base[1] // _CUBE, rows * columns * (base[0] + base[1]) // _LOAD
    return tails if wish.c_in_ub else 0, computed + loaded, -base[2]


def _cost(wish: Wish, made: Cut) -> tuple[int, ...]:
    waste = _waste(wish, made.single, made.base)
    return *waste[:2], made.m_dim * made.n_dim, abs(made.single[0] - made.single[1]), -made.single[0]


def _buffered(
    soc: Soc, wish: Wish, dims: tuple[int, int], single: tuple[int, int, int], base: tuple[int, int, int]
) -> Cut:
    m, n, k = base
    room = wish.l1 - n * (_SUMS + 8)
    depth = _TWICE if _TWICE * (m + n) * k * wish.size <= room else 1

    def times(size: int, memory: int) -> int:
        return _TWICE if _TWICE * size <= memory else 1

    return Cut(
        *dims, single, base, depth, depth, times(m * k * wish.size, soc.l0a_size),
        times(n * k * wish.size, soc.l0b_size), times(m * n * _SUMS, wish.l0c),
    )  # fmt: skip

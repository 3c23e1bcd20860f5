"""Fractal layouts: matrices as blocks of 512 bytes, 16 rows of 32 bytes each; in L0C 16 × 16 elements
(mirror-cann/asc-devkit docs, matrix computation, fractal formats, @82b89a15f).

A layout is named by the order of its blocks and the order inside a block: Zz rows and rows, Nz columns and rows, Zn
rows and columns. Every layout here is a view of four dims, so that a conversion is a reshape and no loop.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from cannery.aicore.instruction import Runs

Array = np.ndarray[Any, Any]
SIDE: Final = 16
"""Rows of a block; in L0C its columns, too."""
ROW: Final = 32
"""Bytes of a block's row."""
FRACTAL: Final = SIDE * ROW
"""Bytes of a block of L1, L0A and L0B."""


def ceil(count: int, step: int) -> int:
    """How many steps hold ``count``."""
    return -(-count // step)


class Layout(NamedTuple):
    """A matrix of ``rows`` × ``columns`` blocks, each of 16 × ``width`` elements.

    ``by_column``: a column of blocks lies together, otherwise a row of them.
    """

    rows: int
    columns: int
    width: int
    by_column: bool

    @classmethod
    def of(cls, rows: int, columns: int, width: int, *, by_column: bool) -> Layout:
        """The layout that holds a matrix of that many elements."""
        return cls(ceil(rows, SIDE), ceil(columns, width), width, by_column)

    @property
    def elements(self) -> int:
        """How many elements there are places for."""
        return self.rows * self.columns * SIDE * self.width

    def matrix(self, flat: Array) -> Array:
        """A view of elements in memory as blocks of [block row, row, block column, column]."""
        outer = (self.columns, self.rows) if self.by_column else (self.rows, self.columns)
        blocks = flat.reshape(*outer, SIDE, self.width)
        return blocks.transpose(1, 2, 0, 3) if self.by_column else blocks.transpose(0, 2, 1, 3)

    def read(self, flat: Array, rows: int, columns: int) -> Array:
        """The first rows and columns of the matrix that lies in memory."""
        shape = (self.rows * SIDE, self.columns * self.width)
        return self.matrix(flat).reshape(shape)[:rows, :columns]

    def write(self, flat: Array, values: Array) -> None:
        """Put a matrix into memory; places beyond it keep what they hold."""
        rows, columns = values.shape
        if rows == self.rows * SIDE and columns == self.columns * self.width:
            self.matrix(flat)[...] = values.reshape(self.rows, SIDE, self.columns, self.width)
            return
        whole = self.read(flat, self.rows * SIDE, self.columns * self.width).copy()
        whole[:rows, :columns] = values
        self.write(flat, whole)

    def runs(self, rows: int, columns: int, size: int) -> Runs | None:
        """The bytes of the first rows and columns, in memory's order; None where they are all."""
        return _runs(self, rows, columns, size)

    def extent(self, rows: int, columns: int, size: int) -> int:
        """Bytes from the start to behind the last of the first rows and columns."""
        runs = self.runs(rows, columns, size)
        return self.elements * size if runs is None else runs[-1][1]


@lru_cache(maxsize=512)
def _runs(layout: Layout, rows: int, columns: int, size: int) -> Runs | None:
    flat = np.zeros(layout.elements, bool)
    layout.write(flat, np.ones((rows, columns), bool))
    if flat.all():
        return None
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flat, [False]]).astype(np.int8)))
    return tuple((int(a) * size, int(b) * size) for a, b in zip(edges[::2], edges[1::2], strict=True))

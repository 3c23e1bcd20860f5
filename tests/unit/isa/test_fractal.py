"""Layouts of blocks against index arithmetic, element by element."""

import numpy as np
import pytest

from cannery.isa.fractal import SIDE, Layout


@pytest.mark.parametrize(("rows", "columns", "width"), [(16, 16, 16), (40, 70, 16), (30, 33, 32), (17, 9, 8)])
@pytest.mark.parametrize("by_column", [True, False])
def test_a_matrix_lies_block_by_block(rows: int, columns: int, width: int, by_column: bool) -> None:
    layout = Layout.of(rows, columns, width, by_column=by_column)
    matrix = np.arange(rows * columns).reshape(rows, columns) + 1
    flat = np.zeros(layout.elements, np.int64)
    layout.write(flat, matrix)
    for row in range(rows):
        for column in range(columns):
            block = (column // width, row // SIDE) if by_column else (row // SIDE, column // width)
            pitch = layout.rows if by_column else layout.columns
            at = ((block[0] * pitch + block[1]) * SIDE + row % SIDE) * width + column % width
            assert flat[at] == matrix[row, column]
    assert np.count_nonzero(flat) == rows * columns
    assert np.array_equal(layout.read(flat, rows, columns), matrix)


def test_runs_are_the_bytes_of_a_part() -> None:
    layout = Layout.of(18, 20, 16, by_column=True)
    runs = layout.runs(18, 20, 2)
    flat = np.zeros(layout.elements, bool)
    layout.write(flat, np.ones((18, 20), bool))
    touched = [at for start, stop in runs or () for at in range(start, stop)]
    assert touched == [2 * at + byte for at in np.flatnonzero(flat) for byte in (0, 1)]
    assert layout.extent(18, 20, 2) == touched[-1] + 1
    assert Layout.of(32, 32, 16, by_column=True).runs(32, 32, 2) is None

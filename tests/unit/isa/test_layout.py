"""Changes of layout on the way, against index arithmetic, element by element."""

from typing import Any

import numpy as np
import pytest

import cannery
from cannery.aicore.core import Core
from cannery.aicore.launch import Launch
from cannery.aicore.memory import GlobalBuffer
from cannery.aicore.setup import Setup
from cannery.isa import layout
from cannery.isa.dtypes import float16
from cannery.isa.enums import TPosition
from cannery.isa.table import TABLE
from cannery.isa.tensors import Allocation, Global, GlobalOwner, Local

GROUP = 16


def loaded(call: Any, x: np.ndarray, shape: layout.NdToNz, size: int, chip: str) -> np.ndarray:
    """L1 after a load from global memory."""
    found: list[np.ndarray] = []

    def body(core: Core) -> None:
        buffer = GlobalBuffer("x", x)
        source = Global(GlobalOwner(buffer, buffer.base, buffer.base + x.nbytes), buffer.base, float16)
        target = Local(Allocation(core, TPosition.A1, 0, 2 * size, "target"), 0, float16, size)
        target.owner.memory.data[: 2 * size] = 0
        call(core, None, TABLE["data_copy"], target, source, shape)
        core.drain()
        found.append(target.owner.memory.array(float16.numpy, 0, size).copy())

    Launch(Setup("kernel", cannery.soc(chip), 1, (("aic", 0, 0),))).run(body)
    return found[0]


SHAPES = [layout.NdToNz(1, 20, 40, 0, 48, 20, 1, 0), layout.NdToNz(2, 8, 23, 400, 30, 37, 2, 1600)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("turned", [False, True])
def test_matrices_lie_in_groups_of_columns(shape: layout.NdToNz, turned: bool) -> None:
    x = np.arange(1, 2001).astype(np.float16)
    call = layout.load_dn if turned else layout.load_nz
    found = loaded(call, x, shape, 4000, "Ascend950PR_9589")
    expected = np.zeros(4000, np.float16)
    for q in range(shape.matrices):
        for r in range(shape.rows):
            for c in range(shape.columns):
                row, column = (c, r) if turned else (r, c)
                at = q * shape.dst_matrix_stride + c // GROUP * shape.dst_group_stride * GROUP
                at += r * shape.dst_row_stride * GROUP + c % GROUP
                expected[at] = x[q * shape.src_matrix_stride + row * shape.src_row_stride + column]
    np.testing.assert_array_equal(found, expected)


def test_only_950_turns_a_matrix_over_on_the_way() -> None:
    with pytest.raises(NotImplementedError, match="Dn2NzParams on Ascend910B1"):
        loaded(layout.load_dn, np.zeros(2000, np.float16), SHAPES[0], 4000, "Ascend910B1")

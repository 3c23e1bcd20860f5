"""UB that the compiler reserves, and the option by which it does not."""

import numpy as np
import pytest

from cannery import asc
from cannery.asc.runtime import config
from cannery.watch import session

N = 64


@asc.jit
def selected(x: asc.GlobalAddress, mode: asc.ConstExpr[int]) -> None:
    tile = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, N)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 256, 32)
    asc.duplicate(tile, 1.0, N)
    asc.compare(bits, tile, tile, asc.CMPMODE.EQ, N)
    asc.select(tile, bits, tile, tile, asc.SelMode(mode), N)


OPTION = ("--cce-disable-asc-reserved-ubuf",)


def test_without_reserved_ub_the_compiler_refuses_what_needs_it() -> None:
    x = np.zeros(N, np.float32)
    selected.run(1, x, 0, bisheng_options=OPTION)
    with pytest.raises(ValueError, match="select: found --cce-disable-asc-reserved-ubuf"):
        selected.run(1, x, 2, bisheng_options=OPTION)
    config.set_platform(config.Backend.Model, config.Platform.Ascend950PR_9589)
    try:
        selected.run(1, x, 2, bisheng_options=OPTION)
    finally:
        config.set_platform(config.Backend.Model)


@asc.jit
def filled(x: asc.GlobalAddress, size: asc.ConstExpr[int]) -> None:
    pipe = asc.TPipe()
    pipe.init_buffer(asc.TBuf(asc.TPosition.VECCALC), size)


@pytest.mark.parametrize(
    ("size", "options", "fills", "expected"),
    [
        (188160, (), False, []),
        (188192, (), False, ["warning"]),
        (196352, OPTION, False, []),
        (196384, OPTION, False, ["warning"]),
        (196608, (), True, []),
        (196640, (), True, ["error"]),
    ],
)
def test_how_much_of_ub_a_kernel_has(size: int, options: tuple[str, ...], fills: bool, expected: list[str]) -> None:
    with session(check=True) as found:
        filled.run(1, np.zeros(N, np.float32), size, bisheng_options=options, fills_ub=fills)
    assert [finding.severity for finding in found.findings()] == expected

"""Half results that are too large: infinity, or the largest number, and a note."""

import numpy as np
import pytest

from cannery import asc
from cannery.watch import session

N = 128


@asc.jit
def doubled(x: asc.GlobalAddress) -> None:
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    tile = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, N)
    asc.data_copy(tile, gm, N)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.muls(tile, tile, 2.0, N)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(gm, tile, N)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(("saturate", "large"), [(False, np.inf), (True, 65504)])
def test_the_switch_decides_what_too_large_a_result_is(check: bool, saturate: bool, large: float) -> None:
    x = np.array([1, -40000, 40000, np.inf] * (N // 4), np.float16)
    with session(check=check, saturate=saturate) as found:
        doubled[1](x)
    assert x[:4].tolist() == [2, -large, large, np.inf]
    assert [(f.kind, f.severity, f.count) for f in found.findings()] == ([("OVERFLOW", "note", 1)] if check else [])


def test_the_note_has_how_many_and_what_became_of_them() -> None:
    with session(check=True, saturate=True) as found:
        doubled[1](np.full(N, 60000, np.float16))
    (finding,) = found.findings()
    assert f"{N} half results of muls overflow: 65504" in finding.message

"""Truth tables: each synchronisation statement behind a boolean; an error exactly when one is dropped, of its kind."""

import itertools
from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.aicore import DeadlockError
from cannery.watch import errors, session

TILE = 64
EVENT = asc.HardEvent


@asc.jit
def double_buffered(
    x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: asc.ConstExpr[int], bufs: asc.ConstExpr[int],
    on: asc.ConstExpr[Any],
) -> None:  # fmt: skip
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    xb = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, bufs * TILE)
    zb = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, bufs * TILE * 4, bufs * TILE)
    for k in range(bufs):
        if on["V_MTE2"]:
            asc.set_flag(EVENT.V_MTE2, k)
        if on["MTE3_V"]:
            asc.set_flag(EVENT.MTE3_V, k)
    for i in range(tiles):
        b = i % bufs
        if on["V_MTE2"]:
            asc.wait_flag(EVENT.V_MTE2, b)
        asc.data_copy(xb[b * TILE :], x_gm[i * TILE :], TILE)
        if on["MTE2_V"]:
            asc.set_flag(EVENT.MTE2_V, b)
            asc.wait_flag(EVENT.MTE2_V, b)
        if on["MTE3_V"]:
            asc.wait_flag(EVENT.MTE3_V, b)
        asc.adds(zb[b * TILE :], xb[b * TILE :], 1.0, TILE)
        if on["V_MTE2"]:
            asc.set_flag(EVENT.V_MTE2, b)
        if on["V_MTE3"]:
            asc.set_flag(EVENT.V_MTE3, b)
            asc.wait_flag(EVENT.V_MTE3, b)
        asc.data_copy(z_gm[i * TILE :], zb[b * TILE :], TILE)
        if on["MTE3_V"]:
            asc.set_flag(EVENT.MTE3_V, b)
    for k in range(bufs):
        if on["V_MTE2"]:
            asc.wait_flag(EVENT.V_MTE2, k)
        if on["MTE3_V"]:
            asc.wait_flag(EVENT.MTE3_V, k)


EDGES = {
    "MTE2_V": ("RAW", ("MTE2", "V"), "UB"),
    "V_MTE3": ("RAW", ("V", "MTE3"), "UB"),
    "V_MTE2": ("WAR", ("V", "MTE2"), "UB"),
    "MTE3_V": ("WAR", ("MTE3", "V"), "UB"),
}


@pytest.mark.parametrize("bufs", [1, 2])
@pytest.mark.parametrize("kept", list(itertools.product([True, False], repeat=4)))
def test_each_dropped_edge_is_its_own_race(bufs: Any, kept: Any) -> None:
    on = dict(zip(EDGES, kept, strict=True))
    x = np.arange(8 * TILE, dtype=np.float32)
    z = np.zeros_like(x)
    with session(check=True) as found:
        double_buffered[1](x, z, 8, bufs, on)
    races = {(f.kind, f.pipes, f.memory) for f in errors(found.findings())}
    expected = {EDGES[edge] for edge, is_on in on.items() if not is_on}
    assert races == expected
    if all(kept):
        assert found.findings() == []
        np.testing.assert_array_equal(z, x + 1)


@pytest.mark.parametrize("bufs", [1, 2])
@pytest.mark.parametrize("edge", list(EDGES))
@pytest.mark.parametrize("seed", [0])
def test_a_dropped_edge_gives_wrong_data_without_checks(bufs: Any, edge: Any, seed: Any) -> None:
    x = np.arange(1, 8 * TILE + 1, dtype=np.float32)
    z = np.zeros_like(x)
    with session(seed=seed):
        double_buffered[1](x, z, 8, bufs, {name: name != edge for name in EDGES})
    assert not np.array_equal(z, x + 1)


@asc.jit
def with_half_edges(x: asc.GlobalAddress, z: asc.GlobalAddress, dropped: asc.ConstExpr[str]) -> None:
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    xl = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    zl = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    asc.data_copy(xl, x_gm, TILE)
    if dropped != "set MTE2_V":
        asc.set_flag(EVENT.MTE2_V, 0)
    if dropped != "wait MTE2_V":
        asc.wait_flag(EVENT.MTE2_V, 0)
    asc.adds(zl, xl, 1.0, TILE)
    if dropped != "set V_MTE3":
        asc.set_flag(EVENT.V_MTE3, 0)
    if dropped != "wait V_MTE3":
        asc.wait_flag(EVENT.V_MTE3, 0)
    asc.data_copy(z_gm, zl, TILE)


HALVES: dict[str, tuple[list[str], list[str]]] = {
    "": ([], []),
    "set MTE2_V": (["DEADLOCK"], ["UNPAIRED_FLAG"]),
    "wait MTE2_V": (["RAW"], ["UNPAIRED_FLAG"]),
    "set V_MTE3": (["DEADLOCK"], ["UNPAIRED_FLAG"]),
    "wait V_MTE3": (["RAW"], ["UNPAIRED_FLAG"]),
}


@pytest.mark.parametrize("dropped", list(HALVES))
def test_half_an_edge_dropped(dropped: Any) -> None:
    x = np.arange(TILE, dtype=np.float32)
    wrong, warned = HALVES[dropped]
    with session(check=True) as found:
        try:
            with_half_edges[1](x, np.zeros_like(x), dropped)
        except DeadlockError:
            assert "DEADLOCK" in wrong
    assert [f.kind for f in errors(found.findings())] == wrong
    assert [f.kind for f in found.findings() if f.severity != "error"] == warned

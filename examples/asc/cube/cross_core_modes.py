"""Every mode of cross-core flags: 0 between all cores of a kind, 1 between the vector cores of a group, 2 between a
cube and its vector cores. Parts of an array go round: each core adds what its neighbours have left.
"""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind

N = 64
GROUPS = 2
PAIR, ALL_VECTORS, TO_CUBE, ALL_CUBES = 1, 2, 3, 4


@asc.jit
def add_part(target: asc.GlobalTensor, first: asc.GlobalTensor, second: asc.GlobalTensor):
    one = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, N)
    other = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, N)
    asc.data_copy(one, first, N)
    asc.data_copy(other, second, N)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.add(one, one, other, N)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(target, one, N)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@asc.jit
def on_vector(x: asc.GlobalTensor, y: asc.GlobalTensor, z: asc.GlobalTensor, w: asc.GlobalTensor):
    me = asc.get_block_idx()
    partner = me + 1 - 2 * asc.get_sub_block_idx()
    neighbour = (me + 1) % (2 * GROUPS)
    add_part(y[me * N :], x[me * N :], x[me * N :])
    asc.cross_core_set_flag(PAIR, 1, asc.PipeID.PIPE_MTE3)
    asc.cross_core_wait_flag(PAIR, 1, asc.PipeID.PIPE_MTE2)
    add_part(z[me * N :], y[me * N :], y[partner * N :])
    asc.cross_core_set_flag(ALL_VECTORS, 0, asc.PipeID.PIPE_MTE3)
    asc.cross_core_wait_flag(ALL_VECTORS, 0, asc.PipeID.PIPE_MTE2)
    add_part(w[me * N :], z[me * N :], z[neighbour * N :])
    asc.cross_core_set_flag(TO_CUBE, 2, asc.PipeID.PIPE_MTE3)


@asc.jit
def on_cube(w: asc.GlobalTensor, copies: asc.GlobalTensor, out: asc.GlobalTensor):
    group = asc.get_block_idx()
    tile = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 2 * N)
    asc.cross_core_wait_flag(TO_CUBE, 2, asc.PipeID.PIPE_MTE2)
    asc.data_copy(tile, w[group * 2 * N :], 2 * N)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(copies[group * 2 * N :], tile, 2 * N)
    asc.cross_core_set_flag(ALL_CUBES, 0, asc.PipeID.PIPE_MTE3)
    asc.cross_core_wait_flag(ALL_CUBES, 0, asc.PipeID.PIPE_MTE2)
    other = (group + 1) % GROUPS
    asc.data_copy(tile, copies[other * 2 * N :], 2 * N)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(out[group * 2 * N :], tile, 2 * N)


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    w: asc.GlobalAddress,
    copies: asc.GlobalAddress,
    out: asc.GlobalAddress,
):
    if asc.ascend_is_aic():
        on_cube(bind(w), bind(copies), bind(out))
    else:
        on_vector(bind(x), bind(y), bind(z), bind(w))


def run():
    x = np.arange(2 * GROUPS * N, dtype=np.float32).reshape(2 * GROUPS, N)
    y, z, w, copies, out = (np.zeros_like(x) for _ in range(5))
    kernel[GROUPS](x, y, z, w, copies, out)
    pairs = 2 * (x + x[[1, 0, 3, 2]])
    assert np.array_equal(out, np.roll(pairs + np.roll(pairs, -1, axis=0), 2, axis=0))


if __name__ == "__main__":
    run()
    print("as expected")

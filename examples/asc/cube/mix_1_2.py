"""C = A · B + 1 by one cube and its two vector cores. They share a workspace of one tile: the cube waits until both
have taken their half of a tile before it overwrites it.
"""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right

M, N, K = 32, 32, 32
ROUNDS = 3
FULL, FREE = 1, 2


@asc.jit
def on_cube(a: asc.GlobalTensor, b: asc.GlobalTensor, space: asc.GlobalTensor):
    a1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, M * K)
    b1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, 16384, K * N)
    a2 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, M * K)
    b2 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, K * N)
    c1 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * N)
    load_nz(b1, b, K, N, N)
    for part in range(ROUNDS):
        load_nz(a1, a[part * M * K :], M, K, K)
        asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
        load_left(a2, a1, M, K)
        load_right(b2, b1, K, N)
        asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
        asc.set_flag(asc.HardEvent.MTE1_M, 0)
        asc.wait_flag(asc.HardEvent.MTE1_M, 0)
        asc.mmad(c1, a2, b2, asc.MmadParams(M, N, K))
        asc.set_flag(asc.HardEvent.M_MTE1, 0)
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        if part > 0:
            asc.cross_core_wait_flag(FREE, 2, asc.PipeID.PIPE_FIX)
        asc.fixpipe(space, c1, asc.FixpipeParamsV220(N, M, M, N))
        asc.cross_core_set_flag(FULL, 2, asc.PipeID.PIPE_FIX)
        asc.set_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.M_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)


@asc.jit
def on_vector(space: asc.GlobalTensor, c: asc.GlobalTensor):
    size = M * N // 2
    mine = asc.get_sub_block_idx() * size
    result = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, M * N // 2)
    for part in range(ROUNDS):
        asc.cross_core_wait_flag(FULL, 2, asc.PipeID.PIPE_MTE2)
        asc.data_copy(result, space[mine:], size)
        if part < ROUNDS - 1:
            asc.cross_core_set_flag(FREE, 2, asc.PipeID.PIPE_MTE2)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(result, result, 1.0, size)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(c[part * M * N + mine :], result, size)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, space: asc.GlobalAddress):
    if asc.ascend_is_aic():
        group = asc.get_block_idx()
        on_cube(bind(a)[group * ROUNDS * M * K :], bind(b), bind(space)[group * M * N :])
    else:
        group = asc.get_block_idx() // asc.get_sub_block_num()
        on_vector(bind(space)[group * M * N :], bind(c)[group * ROUNDS * M * N :])


def run(groups=2):
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((groups * ROUNDS * M, K), (K, N)))
    c = np.zeros((groups * ROUNDS * M, N), np.float32)
    kernel[groups](a, b, c, np.zeros((groups, M, N), np.float32))
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64) + 1, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run()
    print("as expected")

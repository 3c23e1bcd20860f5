"""C = relu(2 A · B) by one cube and one vector core: the vector scales A for the cube and takes its product back."""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right

M, N, K = 32, 32, 32
ROUNDS = 2
SCALED, PRODUCT = 1, 2


@asc.jit
def on_cube(scaled: asc.GlobalTensor, b: asc.GlobalTensor, product: asc.GlobalTensor):
    a1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, M * K)
    b1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, 16384, K * N)
    a2 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, M * K)
    b2 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, K * N)
    c1 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * N)
    load_nz(b1, b, K, N, N)
    for part in range(ROUNDS):
        asc.cross_core_wait_flag(SCALED, 2, asc.PipeID.PIPE_MTE2)
        load_nz(a1, scaled[part * M * K :], M, K, K)
        asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
        load_left(a2, a1, M, K)
        load_right(b2, b1, K, N)
        asc.set_flag(asc.HardEvent.MTE1_M, 0)
        asc.wait_flag(asc.HardEvent.MTE1_M, 0)
        asc.mmad(c1, a2, b2, asc.MmadParams(M, N, K))
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        asc.fixpipe(product[part * M * N :], c1, asc.FixpipeParamsV220(N, M, M, N))
        asc.cross_core_set_flag(PRODUCT, 2, asc.PipeID.PIPE_FIX)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def on_vector(a: asc.GlobalTensor, scaled: asc.GlobalTensor, product: asc.GlobalTensor, c: asc.GlobalTensor):
    half = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 0, M * K)
    result = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4096, M * N)
    for part in range(ROUNDS):
        asc.data_copy(half, a[part * M * K :], M * K)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.muls(half, half, 2.0, M * K)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(scaled[part * M * K :], half, M * K)
        asc.cross_core_set_flag(SCALED, 2, asc.PipeID.PIPE_MTE3)
        asc.cross_core_wait_flag(PRODUCT, 2, asc.PipeID.PIPE_MTE2)
        asc.data_copy(result, product[part * M * N :], M * N)
        asc.set_flag(asc.HardEvent.MTE2_V, 1)
        asc.wait_flag(asc.HardEvent.MTE2_V, 1)
        asc.relu(result, result, M * N)
        asc.set_flag(asc.HardEvent.V_MTE3, 1)
        asc.wait_flag(asc.HardEvent.V_MTE3, 1)
        asc.data_copy(c[part * M * N :], result, M * N)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 1)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 1)


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_1)
def kernel(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    scaled: asc.GlobalAddress,
    product: asc.GlobalAddress,
):
    group = asc.get_block_idx()
    rows = group * ROUNDS * M
    if asc.ascend_is_aic():
        on_cube(bind(scaled)[rows * K :], bind(b), bind(product)[rows * N :])
    else:
        on_vector(bind(a)[rows * K :], bind(scaled)[rows * K :], bind(product)[rows * N :], bind(c)[rows * N :])


def run(groups=2):
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((groups * ROUNDS * M, K), (K, N)))
    c = np.zeros((groups * ROUNDS * M, N), np.float32)
    kernel[groups](a, b, c, np.zeros_like(a), np.zeros_like(c))
    assert np.allclose(c, np.maximum(2 * a.astype(np.float64) @ b.astype(np.float64), 0), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run()
    print("as expected")

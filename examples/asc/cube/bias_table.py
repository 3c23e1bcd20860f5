"""C = A · B + bias: the bias goes through L1 to the bias table, and a row of C begins with it."""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right

M, N, K = 32, 64, 32
ROUNDS = 2


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, bias: asc.GlobalAddress, c: asc.GlobalAddress):
    a_gm, c_gm = bind(a), bind(c)
    a1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, M * K)
    b1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, 16384, K * N)
    bias1 = asc.LocalTensor(asc.float32, asc.TPosition.C1, 32768, N)
    a2 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, M * K)
    b2 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, K * N)
    bias2 = asc.LocalTensor(asc.float32, asc.TPosition.C2, 0, N)
    c1 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * N)
    asc.data_copy(bias1, bind(bias), N)
    load_nz(b1, bind(b), K, N, N)
    asc.set_flag(asc.HardEvent.MTE2_MTE1, 1)
    asc.wait_flag(asc.HardEvent.MTE2_MTE1, 1)
    asc.data_copy(bias2, bias1, repeat_params=asc.DataCopyParams(1, N * 4 // 64))
    load_right(b2, b1, K, N)
    for part in range(ROUNDS):
        load_nz(a1, a_gm[part * M * K :], M, K, K)
        asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
        load_left(a2, a1, M, K)
        asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
        asc.set_flag(asc.HardEvent.MTE1_M, 0)
        asc.wait_flag(asc.HardEvent.MTE1_M, 0)
        asc.mmad(c1, a2, b2, bias2, asc.MmadParams(M, N, K))
        asc.set_flag(asc.HardEvent.M_MTE1, 0)
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        asc.fixpipe(c_gm[part * M * N :], c1, asc.FixpipeParamsV220(N, M, M, N))
        asc.set_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.M_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)


def run():
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((ROUNDS * M, K), (K, N)))
    bias = random.standard_normal(N).astype(np.float32)
    c = np.zeros((ROUNDS * M, N), np.float32)
    matmul[1](a, b, bias, c)
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64) + bias, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run()
    print("as expected")

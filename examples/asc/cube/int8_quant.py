"""C = A · B of bytes, brought back to bytes on the way out with a scale for each column."""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind

M, N, K = 32, 64, 64
ROUNDS = 2


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, words: asc.GlobalAddress, c: asc.GlobalAddress):
    """B lies turned over: n rows of k bytes, as the cube reads it."""
    a_gm, b_gm, c_gm = bind(a), bind(b), bind(c)
    a1 = asc.LocalTensor(asc.int8, asc.TPosition.A1, 0, M * K)
    b1 = asc.LocalTensor(asc.int8, asc.TPosition.B1, 16384, K * N)
    words1 = asc.LocalTensor(asc.uint64, asc.TPosition.C1, 32768, N)
    a2 = asc.LocalTensor(asc.int8, asc.TPosition.A2, 0, M * K)
    b2 = asc.LocalTensor(asc.int8, asc.TPosition.B2, 0, K * N)
    c1 = asc.LocalTensor(asc.int32, asc.TPosition.CO1, 0, M * N)
    asc.data_copy(words1, bind(words), N)
    asc.set_flag(asc.HardEvent.MTE2_FIX, 0)
    asc.data_copy(b1, b_gm, intri_params=asc.Nd2NzParams(1, N, K, 0, K, N, 1, 0))
    asc.set_flag(asc.HardEvent.MTE2_MTE1, 1)
    asc.wait_flag(asc.HardEvent.MTE2_MTE1, 1)
    asc.load_data(b2, b1, asc.LoadData2DParams(0, (N // 16) * (K // 32), 1))
    asc.wait_flag(asc.HardEvent.MTE2_FIX, 0)
    for part in range(ROUNDS):
        asc.data_copy(a1, a_gm[part * M * K :], intri_params=asc.Nd2NzParams(1, M, K, 0, K, M, 1, 0))
        asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
        for row in range(M // 16):
            asc.load_data(a2[row * 16 * K :], a1[row * 512 :], asc.LoadData2DParams(0, K // 32, M // 16))
        asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
        asc.set_flag(asc.HardEvent.MTE1_M, 0)
        asc.wait_flag(asc.HardEvent.MTE1_M, 0)
        asc.mmad(c1, a2, b2, asc.MmadParams(M, N, K))
        asc.set_flag(asc.HardEvent.M_MTE1, 0)
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        out = asc.FixpipeParamsV220(N, M, M, N, asc.QuantModes.VREQ8)
        asc.fixpipe(c_gm[part * M * N :], c1, words1, out)
        asc.set_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.M_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)


SIGNED = 1 << 46


def run():
    random = np.random.default_rng(0)
    a, b = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((ROUNDS * M, K), (N, K)))
    scales = (2.0 ** random.integers(-12, -8, N)).astype(np.float32)
    words = scales.view(np.uint32).astype(np.uint64) | np.uint64(SIGNED)
    c = np.zeros((ROUNDS * M, N), np.int8)
    matmul[1](a, b, words, c)
    exact = a.astype(np.int64) @ b.T.astype(np.int64) * scales
    assert np.array_equal(c, np.rint(exact).clip(-128, 127))


if __name__ == "__main__":
    run()
    print("as expected")

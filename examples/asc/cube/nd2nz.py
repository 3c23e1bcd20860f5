"""C = A · B of one tile, loaded from rows to blocks on the way."""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right

M, N, K = 64, 48, 80


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress):
    a1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, M * K)
    b1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, M * K * 2, K * N)
    a2 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, M * K)
    b2 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, K * N)
    c1 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * N)
    load_nz(a1, bind(a), M, K, K)
    asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
    load_nz(b1, bind(b), K, N, N)
    asc.set_flag(asc.HardEvent.MTE2_MTE1, 1)
    asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
    load_left(a2, a1, M, K)
    asc.wait_flag(asc.HardEvent.MTE2_MTE1, 1)
    load_right(b2, b1, K, N)
    asc.set_flag(asc.HardEvent.MTE1_M, 0)
    asc.wait_flag(asc.HardEvent.MTE1_M, 0)
    asc.mmad(c1, a2, b2, asc.MmadParams(M, N, K))
    asc.set_flag(asc.HardEvent.M_FIX, 0)
    asc.wait_flag(asc.HardEvent.M_FIX, 0)
    asc.fixpipe(bind(c), c1, asc.FixpipeParamsV220(N, M, M, N))


def run():
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    matmul[1](a, b, c)
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run()
    print("as expected")

"""C = A · B in tiles, handed to fixpipe block by block: unit flags order the two, and no event does."""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right

M, N, K, STEP = 64, 64, 64, 32
TILES = 2


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress):
    a_gm, b_gm, c_gm = bind(a), bind(b), bind(c)
    a1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, M * STEP)
    b1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, 16384, STEP * N)
    a2 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, M * STEP)
    b2 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, STEP * N)
    c1 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * N)
    for tile in range(TILES):
        for step in range(K // STEP):
            load_nz(a1, a_gm[tile * M * K + step * STEP :], M, STEP, K)
            load_nz(b1, b_gm[step * STEP * N :], STEP, N, N)
            asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
            asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
            load_left(a2, a1, M, STEP)
            load_right(b2, b1, STEP, N)
            asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
            asc.set_flag(asc.HardEvent.MTE1_M, 0)
            asc.wait_flag(asc.HardEvent.MTE1_M, 0)
            last = 2
            if step == K // STEP - 1:
                last = 3
            params = asc.MmadParams(M, N, STEP, unit_flag=last, cmatrix_source=False, cmatrix_init_val=step == 0)
            asc.mmad(c1, a2, b2, params)
            asc.set_flag(asc.HardEvent.M_MTE1, 0)
            asc.wait_flag(asc.HardEvent.M_MTE1, 0)
            asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)
        asc.fixpipe(c_gm[tile * M * N :], c1, asc.FixpipeParamsV220(N, M, M, N, unit_flag=3))


def run():
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((TILES * M, K), (K, N)))
    c = np.zeros((TILES * M, N), np.float32)
    matmul[1](a, b, c)
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run()
    print("as expected")

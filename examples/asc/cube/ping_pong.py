"""C = A · B in tiles, the depth of each in steps with two halves of every buffer: while the cube works on one half the
other one is loaded.
"""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def matmul(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    m: asc.ConstExpr[int],
    n: asc.ConstExpr[int],
    k: asc.ConstExpr[int],
    tile: asc.ConstExpr[int],
):
    a_gm, b_gm, c_gm = bind(a), bind(b), bind(c)
    size = tile * tile
    a1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 2 * size)
    b1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, 4 * size, 2 * size)
    a2 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 2 * size)
    b2 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 2 * size)
    c1 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, size)
    for half in range(2):
        asc.set_flag(asc.HardEvent.MTE1_MTE2, half)
        asc.set_flag(asc.HardEvent.M_MTE1, half)
    asc.set_flag(asc.HardEvent.FIX_M, 0)
    for block in range(asc.get_block_idx(), (m // tile) * (n // tile), asc.get_block_num()):
        row = block // (n // tile) * tile
        column = block % (n // tile) * tile
        asc.wait_flag(asc.HardEvent.FIX_M, 0)
        for step in range(k // tile):
            half = step % 2
            asc.wait_flag(asc.HardEvent.MTE1_MTE2, half)
            load_nz(a1[half * size :], a_gm[row * k + step * tile :], tile, tile, k)
            load_nz(b1[half * size :], b_gm[step * tile * n + column :], tile, tile, n)
            asc.set_flag(asc.HardEvent.MTE2_MTE1, half)
            asc.wait_flag(asc.HardEvent.MTE2_MTE1, half)
            asc.wait_flag(asc.HardEvent.M_MTE1, half)
            load_left(a2[half * size :], a1[half * size :], tile, tile)
            load_right(b2[half * size :], b1[half * size :], tile, tile)
            asc.set_flag(asc.HardEvent.MTE1_MTE2, half)
            asc.set_flag(asc.HardEvent.MTE1_M, half)
            asc.wait_flag(asc.HardEvent.MTE1_M, half)
            product = asc.MmadParams(tile, tile, tile, unit_flag=0, cmatrix_source=False, cmatrix_init_val=step == 0)
            asc.mmad(c1, a2[half * size :], b2[half * size :], product)
            if tile < 64:  # small products on one C are not ordered by the hardware
                asc.pipe_barrier(asc.PipeID.PIPE_M)
            asc.set_flag(asc.HardEvent.M_MTE1, half)
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        asc.fixpipe(c_gm[row * n + column :], c1, asc.FixpipeParamsV220(tile, tile, tile, n))
        asc.set_flag(asc.HardEvent.FIX_M, 0)
    for half in range(2):
        asc.wait_flag(asc.HardEvent.MTE1_MTE2, half)
        asc.wait_flag(asc.HardEvent.M_MTE1, half)
    asc.wait_flag(asc.HardEvent.FIX_M, 0)


def run(m=64, n=32, k=96, tile=32):
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    matmul[1](a, b, c, m, n, k, tile)
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    run(256, 256, 512, 128)
    print("as expected")

"""C = A · B with queues on every level: L1, L0A, L0B and L0C."""

import asc
import asc.runtime.config as config
import numpy as np
from parts import bind, load_left, load_nz, load_right

M, N, K, STEP = 32, 48, 96, 32
P = asc.TPosition


@asc.jit
def copy_in(queue: asc.TQue, source: asc.GlobalTensor, rows: int, columns: int, pitch: int):
    tile = queue.alloc_tensor(asc.float16)
    load_nz(tile, source, rows, columns, pitch)
    queue.enque(tile)


@asc.jit
def split_left(source: asc.TQue, target: asc.TQue, m: int, k: int):
    tile = source.deque(asc.float16)
    part = target.alloc_tensor(asc.float16)
    load_left(part, tile, m, k)
    target.enque(part)
    source.free_tensor(tile)


@asc.jit
def split_right(source: asc.TQue, target: asc.TQue, k: int, n: int):
    tile = source.deque(asc.float16)
    part = target.alloc_tensor(asc.float16)
    load_right(part, tile, k, n)
    target.enque(part)
    source.free_tensor(tile)


@asc.jit(kernel_type=config.KernelType.AIC_ONLY)
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress):
    a_gm, b_gm, c_gm = bind(a), bind(b), bind(c)
    pipe = asc.TPipe()
    a1, b1 = asc.TQue(P.A1, 2), asc.TQue(P.B1, 2)
    a2, b2 = asc.TQue(P.A2, 1), asc.TQue(P.B2, 1)
    co1 = asc.TQue(P.CO1, 1)
    pipe.init_buffer(a1, 2, M * STEP * 2)
    pipe.init_buffer(b1, 2, STEP * N * 2)
    pipe.init_buffer(a2, 1, M * STEP * 2)
    pipe.init_buffer(b2, 1, STEP * N * 2)
    pipe.init_buffer(co1, 1, M * N * 4)
    product = co1.alloc_tensor(asc.float32)
    for step in range(K // STEP):
        copy_in(a1, a_gm[step * STEP :], M, STEP, K)
        copy_in(b1, b_gm[step * STEP * N :], STEP, N, N)
        split_left(a1, a2, M, STEP)
        split_right(b1, b2, STEP, N)
        left = a2.deque(asc.float16)
        right = b2.deque(asc.float16)
        params = asc.MmadParams(M, N, STEP, unit_flag=0, cmatrix_source=False, cmatrix_init_val=step == 0)
        asc.mmad(product, left, right, params)
        asc.pipe_barrier(asc.PipeID.PIPE_M)
        a2.free_tensor(left)
        b2.free_tensor(right)
    co1.enque(product)
    result = co1.deque(asc.float32)
    asc.fixpipe(c_gm, result, asc.FixpipeParamsV220(N, M, M, N))
    co1.free_tensor(result)


def run():
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    matmul[1](a, b, c)
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run()
    print("as expected")

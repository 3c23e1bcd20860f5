import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P, bind


@asc.jit
def kernel(x, z, rows: int, cols: asc.ConstExpr[int]):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    o = asc.TQue(P.VECOUT, 1)
    wb = asc.TBuf(P.VECCALC)
    pipe.init_buffer(q, 2, cols * 4)
    pipe.init_buffer(o, 2, 32)
    pipe.init_buffer(wb, cols * 4)
    w = wb.get(F)
    r = asc.get_block_idx()
    while r < rows:
        t = q.alloc_tensor(F)
        asc.data_copy_pad(
            t, xg[r * cols :], asc.DataCopyExtParams(1, cols * 4, 0, 0, 0), asc.DataCopyPadExtParams(F, True, 0, 0, 0.0)
        )
        q.enque(t)
        t = q.deque(F)
        asc.mul(t, t, t, cols)
        u = o.alloc_tensor(F)
        asc.reduce_sum(u, t, w, cols)
        q.free_tensor(t)
        o.enque(u)
        u = o.deque(F)
        asc.data_copy_pad(zg[r:], u, asc.DataCopyExtParams(1, 4, 0, 0, 0))
        o.free_tensor(u)
        r = r + asc.get_block_num()


x = np.random.default_rng(0).integers(0, 9, (7, 37)).astype(np.float32)
z = np.zeros(7, np.float32)
kernel[3, rt.current_stream()](x, z, 7, 37)
np.testing.assert_array_equal(z, (x * x).sum(1))

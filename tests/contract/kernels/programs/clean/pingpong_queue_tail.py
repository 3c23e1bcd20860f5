import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P, bind


@asc.jit
def kernel(x, z, n: int, tile: asc.ConstExpr[int]):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    o = asc.TQue(P.VECOUT, 2)
    pipe.init_buffer(q, 2, tile * 4)
    pipe.init_buffer(o, 2, tile * 4)
    per = asc.ceildiv(n, asc.get_block_num())
    lo = asc.get_block_idx() * per
    hi = lo + per
    if hi > n:
        hi = n
    at = lo
    while at < hi:
        m = hi - at
        if m > tile:
            m = tile
        t = q.alloc_tensor(F)
        asc.data_copy_pad(
            t, xg[at:], asc.DataCopyExtParams(1, m * 4, 0, 0, 0), asc.DataCopyPadExtParams(F, False, 0, 0, 0.0)
        )
        q.enque(t)
        t = q.deque(F)
        u = o.alloc_tensor(F)
        asc.muls(u, t, 2.0, m)
        o.enque(u)
        q.free_tensor(t)
        u = o.deque(F)
        asc.data_copy_pad(zg[at:], u, asc.DataCopyExtParams(1, m * 4, 0, 0, 0))
        o.free_tensor(u)
        at = at + m


for n in (1, 7, 100, 1003):
    x = np.arange(n, dtype=np.float32)
    z = np.zeros(n, np.float32)
    kernel[3, rt.current_stream()](x, z, n, 48)
    np.testing.assert_array_equal(z, 2 * x)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def load(q, g, i):
    t = q.alloc_tensor(F)
    asc.data_copy(t, g[i * N :], N)
    q.enque(t)


@asc.jit
def kernel(x, z, tiles: asc.ConstExpr[int]):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    o = asc.TQue(P.VECOUT, 2)
    pipe.init_buffer(q, 2, N * 4)
    pipe.init_buffer(o, 2, N * 4)
    load(q, xg, 0)
    for i in range(tiles):
        if i + 1 < tiles:
            load(q, xg, i + 1)
        t = q.deque(F)
        u = o.alloc_tensor(F)
        asc.adds(u, t, 1.0, N)
        q.free_tensor(t)
        o.enque(u)
        u = o.deque(F)
        asc.data_copy(zg[i * N :], u, N)
        o.free_tensor(u)


x = np.arange(N * 9, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z, 9)
np.testing.assert_array_equal(z, x + 1)

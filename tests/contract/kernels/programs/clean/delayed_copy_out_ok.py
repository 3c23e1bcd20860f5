import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def out(o, g, i):
    u = o.deque(F)
    asc.data_copy(g[i * N :], u, N)
    o.free_tensor(u)


@asc.jit
def kernel(x, z, tiles: int):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    o = asc.TQue(P.VECOUT, 2)
    pipe.init_buffer(q, 2, N * 4)
    pipe.init_buffer(o, 2, N * 4)
    for i in range(tiles):
        t = q.alloc_tensor(F)
        asc.data_copy(t, xg[i * N :], N)
        q.enque(t)
        t = q.deque(F)
        u = o.alloc_tensor(F)
        asc.adds(u, t, 1.0, N)
        o.enque(u)
        q.free_tensor(t)
        if i > 0:
            out(o, zg, i - 1)
    out(o, zg, tiles - 1)


x = np.arange(5 * N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z, 5)
np.testing.assert_array_equal(z, x + 1)

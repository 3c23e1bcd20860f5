import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    for i in range(2):
        q = asc.TQue(P.VECIN, 1)
        o = asc.TQue(P.VECOUT, 1)
        pipe.init_buffer(q, 1, N * 4)
        pipe.init_buffer(o, 1, N * 4)
        t = q.alloc_tensor(F)
        asc.data_copy(t, xg[i * N :], N)
        q.enque(t)
        t = q.deque(F)
        u = o.alloc_tensor(F)
        asc.adds(u, t, 1.0, N)
        o.enque(u)
        q.free_tensor(t)
        u = o.deque(F)
        asc.data_copy(zg[i * N :], u, N)
        o.free_tensor(u)
        pipe.reset()


x = np.arange(2 * N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, x + 1)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    o = asc.TQue(P.VECOUT, 1)
    pipe.init_buffer(q, 1, N * 4)
    pipe.init_buffer(o, 1, N * 4)
    xg = bind(x)
    zg = bind(z)
    t = q.alloc_tensor(F)
    u = o.alloc_tensor(F)
    asc.data_copy(t, xg, N)
    asc.data_copy(u, zg, N)
    q.enque(t)
    o.enque(u)
    t = q.deque(F)
    u = o.deque(F)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.axpy(u, t, 2.0, N)
    o.enque(u)
    q.free_tensor(t)
    u = o.deque(F)
    asc.data_copy(zg, u, N)
    o.free_tensor(u)


x = np.arange(N, dtype=np.float32)
z = np.ones(N, np.float32)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, 1 + 2 * x)

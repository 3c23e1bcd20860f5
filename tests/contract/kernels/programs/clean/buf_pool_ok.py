import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    pool = asc.TBufPool(P.VECCALC)
    pipe.init_buf_pool(pool, 1024)
    q = asc.TQue(P.VECIN, 1)
    b = asc.TBuf(P.VECCALC)
    pool.init_buffer(q, 1, N * 4)
    pool.init_buffer(b, N * 4)
    t = q.alloc_tensor(F)
    asc.data_copy(t, bind(x), N)
    q.enque(t)
    t = q.deque(F)
    u = b.get(F)
    asc.adds(u, t, 1.0, N)
    q.free_tensor(t)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)


x = np.arange(N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, x + 1)

# finds: USE_AFTER_FREE error UB V a
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
    t = q.alloc_tensor(F)
    asc.data_copy(t, bind(x), N)
    q.enque(t)
    t = q.deque(F)
    u = o.alloc_tensor(F)
    q.free_tensor(t)
    asc.adds(u, t, 1.0, N)  # <a>
    o.enque(u)
    u = o.deque(F)
    asc.data_copy(bind(z), u, N)
    o.free_tensor(u)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

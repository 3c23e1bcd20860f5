# finds: QUEUE_MISUSE error - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    pipe.init_buffer(q, 2, N * 4)
    xg = bind(x)
    t = q.alloc_tensor(F)
    u = q.alloc_tensor(F)
    asc.data_copy(t, xg, N)
    asc.data_copy(u, xg, N)
    q.enque(t)
    q.enque(u)  # <a>
    t = q.deque(F)
    u = q.deque(F)
    q.free_tensor(t)
    q.free_tensor(u)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

# finds: USE_AFTER_FREE error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x):
    xg = bind(x)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    pipe.init_buffer(q, 1, N * 4)
    t = q.alloc_tensor(F)
    asc.data_copy(t, xg, N)
    q.enque(t)
    old = q.deque(F)
    q.free_tensor(old)
    t = q.alloc_tensor(F)
    asc.data_copy(t, xg, N)
    q.enque(t)
    t = q.deque(F)
    asc.adds(old, old, 1.0, N)  # <a>
    q.free_tensor(t)


kernel[1, rt.current_stream()](np.ones(N, np.float32))

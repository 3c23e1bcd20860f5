# finds: RAW error UB MTE2>V b,c
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
    asc.data_copy(t, bind(x), N)  # <b>
    u = o.alloc_tensor(F)
    asc.adds(u, t, 1.0, N)  # <c>
    q.free_tensor(t)
    o.enque(u)
    u = o.deque(F)
    asc.data_copy(bind(z), u, N)
    o.free_tensor(u)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

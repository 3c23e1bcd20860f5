# finds: OOB error UB MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    pipe.init_buffer(q, 2, N * 4)
    t = q.alloc_tensor(F)
    asc.data_copy(t, bind(x), N + 8)  # <a>
    q.enque(t)
    t = q.deque(F)
    q.free_tensor(t)


kernel[1, rt.current_stream()](np.ones(72, np.float32), np.ones(N, np.float32))

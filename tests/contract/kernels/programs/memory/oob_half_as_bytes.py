# finds: OOB error UB MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    pipe.init_buffer(q, 1, 1024)
    t = q.alloc_tensor(asc.float16)
    asc.data_copy(t, bind(x), 1024)  # <a>
    q.enque(t)
    t = q.deque(asc.float16)
    q.free_tensor(t)


kernel[1, rt.current_stream()](np.ones(1024, np.float16), np.ones(N, np.float32))

# finds: LEAK warning - - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    pipe.init_buffer(q, 1, N * 4)
    t = q.alloc_tensor(F)  # <b>
    asc.data_copy(t, bind(x), N)
    q.enque(t)
    t = q.deque(F)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

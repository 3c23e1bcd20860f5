# finds: QUEUE_MISUSE error - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    pipe.init_buffer(q, 1, N * 4)
    q.deque(F)  # <a>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

# finds: QUEUE_MISUSE error - - a
# finds: LEAK warning - - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 1)
    r = asc.TQue(P.VECIN, 1)
    pipe.init_buffer(q, 1, N * 4)
    pipe.init_buffer(r, 1, N * 4)
    t = q.alloc_tensor(F)  # <b>
    r.free_tensor(t)  # <a>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

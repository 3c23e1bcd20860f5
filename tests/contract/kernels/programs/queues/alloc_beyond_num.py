# finds: QUEUE_MISUSE error - - a
# finds: DEADLOCK error - S a
# finds: LEAK warning - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    pipe.init_buffer(q, 2, N * 4)
    for _ in range(3):
        q.alloc_tensor(F)  # <a>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

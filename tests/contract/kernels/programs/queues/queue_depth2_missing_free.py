# finds: QUEUE_MISUSE error - - a
# finds: DEADLOCK error - S a
# finds: LEAK warning - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    pipe.init_buffer(q, 2, N * 4)
    for _ in range(4):
        t = q.alloc_tensor(F)  # <a>
        asc.data_copy(t, xg, N)
        q.enque(t)
        t = q.deque(F)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

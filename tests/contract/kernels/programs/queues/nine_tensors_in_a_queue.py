# finds: EVENT_ID error - - a
# finds: EVENT_ID error - - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x):
    xg = bind(x)
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 9)
    pipe.init_buffer(q, 9, N * 4)
    for _ in range(9):
        t = q.alloc_tensor(F)
        asc.data_copy(t, xg, N)
        q.enque(t)  # <a>
    for _ in range(9):
        t = q.deque(F)
        q.free_tensor(t)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32))

# finds: WAW error UB MTE2>MTE2 a,b
# finds: RAW error UB MTE2>V b,c
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
    asc.data_copy(t, xg, N)  # <a>
    q.enque(t)
    asc.data_copy(t, xg, N)  # <b>
    t = q.deque(F)
    asc.adds(t, t, 1.0, N)  # <c>
    q.free_tensor(t)


kernel[1, rt.current_stream()](np.ones(N, np.float32))

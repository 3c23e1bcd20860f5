# finds: UNINITIALIZED error UB MTE3 b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQueBind(P.VECIN, P.VECOUT, 1)
    pipe.init_buffer(q, 1, N * 4)
    for i in range(2):
        t = q.alloc_tensor(F)
        if i == 0:
            asc.data_copy(t, xg, N)
        else:
            asc.data_copy(t, xg, 32)
        q.enque(t)
        t = q.deque(F)
        asc.data_copy(zg, t, N)  # <b>
        q.free_tensor(t)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

# finds: OOB error GM MTE2 a
# finds: OOB error GM MTE3 b
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
    pipe.init_buffer(q, 2, N * 4)
    for i in range(3):
        t = q.alloc_tensor(F)
        asc.data_copy(t, xg[i * N :], N)  # <a>
        q.enque(t)
        t = q.deque(F)
        asc.data_copy(zg[i * N :], t, N)  # <b>
        q.free_tensor(t)


x = np.ones(2 * N + 5, np.float32)
kernel[1, rt.current_stream()](x, np.zeros_like(x))

# finds: ROUNDED_COPY error UB MTE2 a
# finds: ROUNDED_COPY error UB MTE3 b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z, n: int):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQueBind(P.VECIN, P.VECOUT, 1)
    pipe.init_buffer(q, 2, N * 4)
    for i in range(asc.ceildiv(n, N)):
        m = n - i * N
        if m > N:
            m = N
        t = q.alloc_tensor(F)
        asc.data_copy(t, xg[i * N :], m)  # <a>
        q.enque(t)
        t = q.deque(F)
        asc.data_copy(zg[i * N :], t, m)  # <b>
        q.free_tensor(t)


x = np.ones(100, np.float32)
kernel[1, rt.current_stream()](x, np.zeros_like(x), 100)

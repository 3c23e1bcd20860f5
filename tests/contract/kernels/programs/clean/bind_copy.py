import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z, tiles: asc.ConstExpr[int]):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    q = asc.TQueBind(P.VECIN, P.VECOUT, 1)
    pipe.init_buffer(q, 2, N * 4)
    for i in asc.range(tiles):
        t = q.alloc_tensor(F)
        asc.data_copy(t, xg[i * N :], N)
        q.enque(t)
        u = q.deque(F)
        asc.data_copy(zg[i * N :], u, N)
        q.free_tensor(u)


x = np.arange(N * 9, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z, 9)
np.testing.assert_array_equal(z, x)

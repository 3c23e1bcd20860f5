# finds: WAR error UB MTE3>MTE2 b,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    for i in range(3):
        asc.data_copy(t, xg[i * N :], N)  # <a>
        sync(E.MTE2_MTE3)
        asc.data_copy(zg[i * N :], t, N)  # <b>


x = np.ones(3 * N, np.float32)
kernel[1, rt.current_stream()](x, np.zeros_like(x))

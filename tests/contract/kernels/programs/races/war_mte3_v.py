# finds: WAR error UB MTE3>V b,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    o = asc.LocalTensor(F, P.VECOUT, N * 4, N)
    for i in range(4):
        if i > 0:
            asc.wait_flag(E.V_MTE2, 0)
        asc.data_copy(t, xg[i * N :], N)
        sync(E.MTE2_V)
        asc.adds(o, t, 1.0, N)  # <a>
        asc.set_flag(E.V_MTE2, 0)
        sync(E.V_MTE3)
        asc.data_copy(zg[i * N :], o, N)  # <b>
    asc.wait_flag(E.V_MTE2, 0)


x = np.ones(4 * N, np.float32)
kernel[1, rt.current_stream()](x, np.zeros_like(x))

# finds: RAW error UB MTE2>V a,b
# finds: EVENT_ID error - - s
# finds: UNPAIRED_FLAG warning - MTE2>V s
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, 4 * N)
    for i in range(4):
        asc.data_copy(t[i * N :], xg[i * N :], N)  # <a>
        asc.set_flag(E.MTE2_V, 0)  # <s>
        if i == 0:
            asc.wait_flag(E.MTE2_V, 0)
        asc.adds(t[i * N :], t[i * N :], 1.0, N)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(zg, t, 4 * N)


x = np.ones(4 * N, np.float32)
kernel[1, rt.current_stream()](x, x.copy())

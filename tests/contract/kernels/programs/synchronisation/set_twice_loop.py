# finds: EVENT_ID error - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, 2 * N)
    for i in range(2):
        asc.data_copy(t[i * N :], xg[i * N :], N)
        asc.set_flag(E.MTE2_V, 0)  # <a>
    for i in range(2):
        asc.wait_flag(E.MTE2_V, 0)
        asc.adds(t[i * N :], t[i * N :], 1.0, N)


x = np.ones(2 * N, np.float32)
kernel[1, rt.current_stream()](x, x.copy())

# finds: EVENT_ID note - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, 8 * N)
    for i in range(8):
        asc.data_copy(t[i * N :], xg[i * N :], N)
        asc.set_flag(E.MTE2_V, i)  # <a>
    for i in range(8):
        asc.wait_flag(E.MTE2_V, i)
        asc.adds(t[i * N :], t[i * N :], 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 8 * N)


x = np.arange(8 * N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, x + 1)

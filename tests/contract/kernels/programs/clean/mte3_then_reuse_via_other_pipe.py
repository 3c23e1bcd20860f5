import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    for i in range(4):
        asc.data_copy(t, xg[i * N :], N)
        sync(E.MTE2_V)
        asc.adds(t, t, 1.0, N)
        sync(E.V_MTE3)
        asc.data_copy(zg[i * N :], t, N)
        sync(E.MTE3_MTE2)


x = np.arange(4 * N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, x + 1)

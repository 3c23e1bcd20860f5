import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, idx, z, n: int):
    xg = bind(x)
    ig = bind(idx)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    k = asc.LocalTensor(asc.int32, P.VECIN, 256, 8)
    asc.data_copy(k, ig, 8)
    sync(E.MTE2_S)
    for i in range(n):
        at = k.get_value(i)
        asc.data_copy(t, xg[at * 8 :], 8)
        sync(E.MTE2_MTE3)
        asc.data_copy(zg[i * 8 :], t, 8)
        sync(E.MTE3_MTE2)


x = np.arange(64, dtype=np.float32)
z = np.zeros(64, np.float32)
i = np.array([3, 1, 7, 0, 2, 4, 6, 5], np.int32)
kernel[1, rt.current_stream()](x, i, z, 8)
np.testing.assert_array_equal(z.reshape(8, 8), x.reshape(8, 8)[i])

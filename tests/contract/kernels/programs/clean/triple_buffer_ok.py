import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z, tiles: int):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, 3 * N)
    for k in range(3):
        asc.set_flag(E.MTE3_MTE2, k)
    for i in asc.range(tiles):
        b = i % 3
        asc.wait_flag(E.MTE3_MTE2, b)
        asc.data_copy(t[b * N :], xg[i * N :], N)
        asc.set_flag(E.MTE2_V, b)
        asc.wait_flag(E.MTE2_V, b)
        asc.relu(t[b * N :], t[b * N :], N)
        asc.set_flag(E.V_MTE3, b)
        asc.wait_flag(E.V_MTE3, b)
        asc.data_copy(zg[i * N :], t[b * N :], N)
        asc.set_flag(E.MTE3_MTE2, b)
    for k in range(3):
        asc.wait_flag(E.MTE3_MTE2, k)


x = np.random.default_rng(0).standard_normal(7 * N).astype(np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z, 7)
np.testing.assert_array_equal(z, np.maximum(x, 0))

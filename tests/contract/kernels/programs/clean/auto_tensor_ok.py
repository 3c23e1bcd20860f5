import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, bind


@asc.jit
def kernel(x, z):
    for i in range(2):
        t = asc.LocalTensorAuto(F, N)
        u = asc.LocalTensorAuto(F, [N])
        asc.data_copy(t, bind(x)[i * N :], N)
        asc.adds(u, t, 1.0, N)
        asc.data_copy(bind(z)[i * N :], u, N)


x = np.arange(2 * N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, x + 1)

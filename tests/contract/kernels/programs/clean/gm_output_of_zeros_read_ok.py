import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, zg, N)
    sync(E.MTE2_V)
    asc.adds(t, t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(zg, t, N)


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](np.ones(N, np.float32), z)

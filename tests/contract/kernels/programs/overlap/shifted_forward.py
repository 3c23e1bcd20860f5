# finds: ALIASING error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECCALC, 0, 8 * N)
    u = asc.LocalTensor(F, P.VECCALC, 4096, 8 * N)
    asc.data_copy(t, bind(x), 8 * N)
    asc.data_copy(u, bind(x), 8 * N)
    sync(E.MTE2_V)
    asc.adds(t[8:], t, 1.0, 4 * N)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 8 * N)


z = np.zeros(8 * N, np.float32)
kernel[1, rt.current_stream()](np.ones(8 * N, np.float32), z)

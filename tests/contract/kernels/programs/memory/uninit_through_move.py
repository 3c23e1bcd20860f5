# finds: UNINITIALIZED error UB MTE3 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 256, N)
    asc.duplicate(t, 1.0, 56)
    asc.data_copy(u, t, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), u, N)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: RAW error GM MTE3>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, N * 4, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(xg, t, N)  # <a>
    asc.data_copy(u, xg, N)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

# finds: RAW error UB V>MTE3 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 256, N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.data_copy(u, t, N)  # <a>
    asc.data_copy(bind(z), u, N)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

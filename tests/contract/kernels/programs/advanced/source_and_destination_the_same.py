# finds: ALIASING error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECOUT, 1024, N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.adv.sin(t, t, N)  # <a>
    asc.adds(u, t, 0.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)


x, z = np.linspace(-1, 1, N).astype(np.float32), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, z)

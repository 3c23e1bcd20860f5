# finds: EVENT_ID error - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, 2 * N)
    u = asc.LocalTensor(F, P.VECOUT, 512, N)
    asc.data_copy(t, xg, N)
    asc.set_flag(E.MTE2_V, 0)
    asc.data_copy(t[N:], xg[N:], N)
    asc.set_flag(E.MTE2_V, 0)  # <a>
    asc.wait_flag(E.MTE2_V, 0)
    asc.adds(u, t, 1.0, N)
    asc.wait_flag(E.MTE2_V, 0)
    asc.add(u, u, t[N:], N)
    asc.set_flag(E.V_MTE3, 0)
    asc.wait_flag(E.V_MTE3, 0)
    asc.data_copy(bind(z), u, N)


kernel[1, rt.current_stream()](np.arange(2 * N, dtype=np.float32), np.zeros(N, np.float32))

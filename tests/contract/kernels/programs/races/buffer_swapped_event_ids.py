# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, 2 * N)
    asc.data_copy(t, xg, N)
    asc.set_flag(E.MTE2_V, 0)
    asc.data_copy(t[N:], xg[N:], N)  # <a>
    asc.set_flag(E.MTE2_V, 1)
    asc.wait_flag(E.MTE2_V, 0)
    asc.adds(t[N:], t[N:], 1.0, N)  # <b>
    asc.wait_flag(E.MTE2_V, 1)
    asc.adds(t, t, 1.0, N)


x = np.ones(2 * N, np.float32)
kernel[1, rt.current_stream()](x, x.copy())

# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    """What the compiler waits for is the load of what is read, not the one behind it."""
    xg = bind(x)
    scale = asc.LocalTensor(F, P.VECIN, 0, 8)
    t = asc.LocalTensor(F, P.VECIN, 256, N)
    asc.data_copy(scale, xg, 8)
    asc.data_copy(t, xg, N)  # <a>
    s = scale.get_value(0)
    asc.muls(t, t, s, N)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.zeros(N, np.float32))

# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)  # <a>
    asc.set_flag(E.V_MTE2, 0)
    asc.wait_flag(E.V_MTE2, 0)
    asc.adds(t, t, 1.0, N)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

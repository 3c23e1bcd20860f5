# finds: REDUNDANT_SYNC note - - a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.set_flag(E.MTE2_V, 0)  # <a>
    asc.wait_flag(E.MTE2_V, 0)  # <b>
    asc.adds(t, t, 1.0, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

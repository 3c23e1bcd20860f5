# finds: EVENT_ID error - - a
# finds: EVENT_ID error - - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)
    asc.set_flag(E.MTE2_V, 8)  # <a>
    asc.wait_flag(E.MTE2_V, 8)  # <b>
    asc.adds(t, t, 1.0, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

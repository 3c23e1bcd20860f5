# finds: EVENT_ID note - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)
    asc.set_flag(E.MTE2_MTE3, 7)  # <a>
    asc.wait_flag(E.MTE2_MTE3, 7)
    asc.data_copy(bind(z), t, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.zeros(N, np.float32))

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    """The bytes that are loaded were not written, though another line of the array was."""
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    xg.set_value(2 * N, 9.0)
    asc.data_copy(t, xg, N)
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, N)


kernel[1, rt.current_stream()](np.zeros(4 * N, np.float32), np.ones(N, np.float32))

# finds: OOB error GM MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 32)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, g, N)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

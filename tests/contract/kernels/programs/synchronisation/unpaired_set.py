# finds: UNPAIRED_FLAG warning - V>MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, N


@asc.jit
def kernel(x, z):
    asc.set_flag(E.V_MTE2, 3)  # <a>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

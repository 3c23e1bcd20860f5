# finds: MISALIGNED error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)
    asc.adds(t[12:], t, 1.0, 8)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: UNINITIALIZED error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    d = asc.LocalTensor(asc.uint8, P.VECIN, 256, 32)
    asc.duplicate(t, 1.0, 32)
    asc.compare_scalar(d, t, 0.0, asc.CMPMODE.GT, 64)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

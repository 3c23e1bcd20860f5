# finds: MISALIGNED error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, P


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 256)
    d = asc.LocalTensor(asc.float16, P.VECIN, 512, 16)
    w = asc.LocalTensor(asc.float16, P.VECIN, 544, 64)
    asc.duplicate(t, 1.0, 256)
    asc.reduce_max(d, t[1:], w, 128)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

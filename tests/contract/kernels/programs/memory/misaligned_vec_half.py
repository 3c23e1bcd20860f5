# finds: MISALIGNED error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import P


@asc.jit
def kernel(x):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 64)
    asc.duplicate(t, 1.0, 64)
    asc.duplicate(t[8:], 2.0, 16)  # <a>


kernel[1, rt.current_stream()](np.ones(32, np.float16))

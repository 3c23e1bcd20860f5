# finds: UB_OVERFLOW error UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P


@asc.jit
def kernel(x):
    asc.LocalTensor(F, P.VECIN, 196608 - 32, 16)  # <a>


kernel[1, rt.current_stream()](np.ones(32, np.float16))

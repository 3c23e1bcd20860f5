# finds: UB_OVERFLOW error UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    pipe.init_buffer(b, 196609)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: UB_OVERFLOW error UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    pipe.init_buffer(q, 2, 98304 + 32)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: UB_OVERFLOW error UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import P


@asc.jit
def kernel(x):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 4)
    o = asc.TQue(P.VECOUT, 2)
    pipe.init_buffer(q, 4, 32768)
    pipe.init_buffer(o, 2, 32800)  # <a>


kernel[1, rt.current_stream()](np.ones(32, np.float16))

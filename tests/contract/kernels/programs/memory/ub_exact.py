# finds: UB_OVERFLOW warning UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    q = asc.TQue(P.VECIN, 2)
    pipe.init_buffer(que=q, num=2, len=65536)
    pipe.init_buffer(buf=b, num=65536)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

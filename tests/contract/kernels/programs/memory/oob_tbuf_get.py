# finds: OOB error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    pipe.init_buffer(b, 256)
    t = b.get(F)
    asc.duplicate(t, 0.0, 72)  # <a>


kernel[1, rt.current_stream()](np.ones(1024, np.float16), np.ones(N, np.float32))

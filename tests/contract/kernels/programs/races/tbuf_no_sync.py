# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    pipe.init_buffer(b, N * 4)
    t = b.get(F)
    asc.data_copy(t, bind(x), N)  # <a>
    asc.adds(t, t, 1.0, N)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

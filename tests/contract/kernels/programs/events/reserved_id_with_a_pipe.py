import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    buffer = asc.TBuf(P.VECCALC)
    pipe.init_buffer(buffer, 4 * N)
    t = buffer.get(F)
    asc.data_copy(t, bind(x), N)
    asc.set_flag(E.MTE2_MTE3, 7)
    asc.wait_flag(E.MTE2_MTE3, 7)
    asc.data_copy(bind(z), t, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.zeros(N, np.float32))

# finds: RAW error GM S>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    g = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    g.set_value(0, 2.0)  # <a>
    asc.data_copy(t, g, N)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

# finds: WAW error UB MTE2>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 224, N)
    asc.data_copy(t, bind(x), N)  # <a>
    asc.data_copy(u, bind(z), N)  # <b>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: ROUNDED_COPY error UB MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    asc.data_copy(t, bind(x), 7)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: OOB error UB MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), repeat_params=asc.DataCopyParams(4, 2, 0, 1))  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

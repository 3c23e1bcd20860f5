# finds: RAW error UB MTE2>MTE3 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy_pad(t, bind(x), asc.DataCopyParams(1, 20, 0, 0), asc.DataCopyPadParams(True, 0, 3, 0))  # <a>
    asc.data_copy_pad(bind(z), t, asc.DataCopyParams(1, 20, 0, 0))  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

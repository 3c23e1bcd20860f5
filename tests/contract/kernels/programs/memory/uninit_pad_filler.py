# finds: UNINITIALIZED error UB MTE3 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy_pad(t, bind(x), asc.DataCopyExtParams(1, 20, 0, 0, 0), asc.DataCopyPadExtParams(F, False, 0, 3, 0.0))
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, 8)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: UNINITIALIZED error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    w = asc.LocalTensor(F, P.VECIN, 32, 8)
    r = asc.LocalTensor(F, P.VECIN, 64, 8)
    asc.data_copy_pad(t, bind(x), asc.DataCopyExtParams(1, 20, 0, 0, 0), asc.DataCopyPadExtParams(F, False, 0, 3, 0.0))
    sync(E.MTE2_V)
    asc.reduce_sum(r, t, w, 8)  # <a>
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(y), r, asc.DataCopyExtParams(1, 4, 0, 0, 0))


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

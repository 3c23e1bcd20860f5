import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.data_copy(t, bind(x), asc.DataCopyParams(4, 1, 0, 1))
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(y), t, asc.DataCopyParams(4, 1, 1, 0))


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

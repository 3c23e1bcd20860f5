import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    m = asc.LocalTensor(asc.uint8, P.VECIN, 512, 32)
    r = asc.LocalTensor(F, P.VECIN, 1024, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_V)
    asc.compare(m, t, t, asc.CMPMODE.EQ, 128)
    asc.select(r, m, t, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, 100)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(y), r, asc.DataCopyExtParams(1, 400, 0, 0, 0))


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

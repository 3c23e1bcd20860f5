import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    o = asc.LocalTensor(asc.uint32, P.VECIN, 256, 8)
    r = asc.LocalTensor(F, P.VECIN, 512, 8)
    asc.data_copy(t, bind(x), 64)
    for i in range(8):
        o.set_value(i, 4 * i)
    sync(E.MTE2_V)
    asc.gather(r, t, o, 0, 8)
    sync(E.V_MTE3)
    asc.data_copy(bind(y), r, 8)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

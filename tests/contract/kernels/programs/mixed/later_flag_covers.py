import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    u = asc.LocalTensor(F, P.VECIN, 256, 64)
    asc.data_copy(t, bind(x), 64)
    asc.data_copy(u, bind(x)[64:], 64)
    sync(E.MTE2_V)
    asc.add(t, t, u, 64)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

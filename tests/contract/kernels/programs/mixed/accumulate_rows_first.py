# finds: ALIASING error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 256)
    a = asc.LocalTensor(F, P.VECIN, 2048, 64)
    asc.data_copy(t, bind(x), 256)
    asc.duplicate(a, 0.0, 64)
    sync(E.MTE2_V)
    asc.add(a, a, t, 64, 4, asc.BinaryRepeatParams(1, 1, 1, 0, 0, 8))  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(y), a, 64)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.data_copy(t, bind(x), 64)
    for i in range(63):
        t.set_value(i + 1, t.get_value(i) + t.get_value(i + 1))
    asc.muls(t, t, 2.0, 64)
    sync(E.V_MTE3)
    asc.data_copy(bind(y), t, 64)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

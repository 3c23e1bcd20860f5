import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.duplicate(t, 2.0, 64)
    sync(E.V_MTE3)
    gy = bind(y)
    gy.set_value(3, 1.0)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, gy)
    sync(E.S_MTE3)
    asc.data_copy(gy, t, 64)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(y, z):
    yg = bind(y)
    t = asc.LocalTensor(F, P.VECOUT, 0, N)
    asc.duplicate(t, yg.get_value(0), N)
    asc.adds(t, t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(yg, t, N)
    asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, yg)
    bind(z).set_value(0, yg.get_value(5))


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](np.zeros(N, np.float32), z)
assert z[0] == 1

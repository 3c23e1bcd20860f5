import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    xg.set_value(3, 9.0)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, xg)
    sync(E.S_MTE2)
    asc.data_copy(t, xg, N)
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, N)


z = np.ones(N, np.float32)
kernel[1, rt.current_stream()](np.zeros(N, np.float32), z)
assert z[3] == 9 and z[2] == 0

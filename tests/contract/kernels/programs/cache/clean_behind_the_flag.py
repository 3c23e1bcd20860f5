# finds: MISSING_DCCI error GM S>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    xg.set_value(3, 9.0)  # <a>
    sync(E.S_MTE2)
    asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, xg)
    asc.data_copy(t, xg, N)  # <b>
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, N)


kernel[1, rt.current_stream()](np.zeros(N, np.float32), np.ones(N, np.float32))

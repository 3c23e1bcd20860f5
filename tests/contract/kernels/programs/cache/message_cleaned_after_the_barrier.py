# finds: MISSING_DCCI error GM S>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    if asc.get_block_idx() == 0:
        xg.set_value(0, 7.0)  # <a>
    asc.sync_all()
    if asc.get_block_idx() == 0:
        asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, xg)
    else:
        asc.data_copy(t, xg, N)  # <b>
        sync(E.MTE2_MTE3)
        asc.data_copy(bind(z), t, N)


kernel[2, rt.current_stream()](np.zeros(N, np.float32), np.zeros(N, np.float32))

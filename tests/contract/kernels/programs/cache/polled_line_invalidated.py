import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECOUT, 0, 8)
    before = xg.get_value(0)
    if asc.get_block_idx() == 0:
        asc.duplicate(t, 5.0, 8)
        sync(E.V_MTE3)
        asc.data_copy(xg[8:], t, 8)
    asc.sync_all()
    if asc.get_block_idx() == 1:
        asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, xg)
        bind(z).set_value(0, before + xg.get_value(8))


z = np.zeros(N, np.float32)
kernel[2, rt.current_stream()](np.zeros(N, np.float32), z)
assert z[0] == 5

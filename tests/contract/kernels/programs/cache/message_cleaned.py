import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import bind


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(x, z):
    xg = bind(x)
    if asc.get_block_idx() == 0:
        xg.set_value(0, 7.0)
        asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, xg)
    asc.sync_all()
    if asc.get_block_idx() == 1:
        bind(z).set_value(0, xg.get_value(0))


z = np.ones(64, np.float32)
kernel[2, rt.current_stream()](np.zeros(64, np.float32), z)
assert z[0] == 7

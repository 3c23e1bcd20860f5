import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import bind


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z, w):
    zg = bind(z)
    me = asc.get_block_idx()
    zg.set_value(me * 16, 5.0)
    asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, zg)
    asc.sync_all()
    v = zg.get_value(((me + 1) % 2) * 16)
    bind(w).set_value(me * 16, v)


w = np.zeros(64, np.float32)
kernel[2, rt.current_stream()](np.zeros(64, np.float32), w)
assert w[0] == w[16] == 5

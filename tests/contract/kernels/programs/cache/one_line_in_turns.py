import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import bind


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z, space):
    """Each core fills the line after the one before has cleaned it."""
    zg, workspace = bind(z), bind(space)
    flags = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    asc.wait_pre_block(workspace, flags)
    zg.set_value(asc.get_block_idx(), 1.0)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, zg)
    asc.notify_next_block(workspace, flags)


z = np.zeros(16, np.float32)
kernel[4, rt.current_stream()](z, np.zeros(64, np.int32))
assert (z[:4] == 1).all()

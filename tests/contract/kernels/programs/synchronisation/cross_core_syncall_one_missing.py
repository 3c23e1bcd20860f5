# finds: DEADLOCK error - S a
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z):
    if asc.get_block_idx() != 1:
        asc.sync_all()  # <a>


kernel[3, rt.current_stream()](np.zeros(128, np.float32))

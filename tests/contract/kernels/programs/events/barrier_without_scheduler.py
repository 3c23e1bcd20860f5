# finds: CROSS_CORE warning - - a
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType


@asc.jit(kernel_type=KernelType.AIV_ONLY)
def kernel(z):
    asc.sync_all()  # <a>


kernel[2, rt.current_stream()](np.zeros(64, np.float32))

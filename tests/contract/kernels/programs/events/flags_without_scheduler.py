# finds: CROSS_CORE warning - - a
# finds: CROSS_CORE warning - - b
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType


@asc.jit(kernel_type=KernelType.AIV_ONLY)
def kernel(z):
    asc.cross_core_set_flag(2, 0, asc.PipeID.PIPE_MTE3)  # <a>
    asc.cross_core_wait_flag(2, 0, asc.PipeID.PIPE_MTE2)  # <b>


kernel[2, rt.current_stream()](np.zeros(64, np.float32))

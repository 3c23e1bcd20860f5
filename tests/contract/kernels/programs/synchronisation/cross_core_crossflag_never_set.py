# finds: DEADLOCK error - S a
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z):
    asc.cross_core_wait_flag(5, 0, asc.PipeID.PIPE_MTE2)  # <a>


kernel[2, rt.current_stream()](np.zeros(64, np.float32))

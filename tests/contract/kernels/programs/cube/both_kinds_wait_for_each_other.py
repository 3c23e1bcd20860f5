# finds: DEADLOCK error - S>S a,b
import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def kernel(x):
    if asc.ascend_is_aic():
        asc.cross_core_wait_flag(1, 2, asc.PipeID.PIPE_MTE2)  # <a>
        asc.cross_core_set_flag(2, 2, asc.PipeID.PIPE_FIX)
    else:
        asc.cross_core_wait_flag(2, 2, asc.PipeID.PIPE_MTE2)  # <b>
        asc.cross_core_set_flag(1, 2, asc.PipeID.PIPE_MTE3)


kernel[1, rt.current_stream()](np.zeros(8, np.float32))

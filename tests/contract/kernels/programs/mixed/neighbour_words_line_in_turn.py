# finds: MISSING_DCCI error GM S>S a,b
import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np

from ..prelude import bind


@asc.jit(kernel_type=config.KernelType.MIX_AIV_1_0)
def kernel(x, y):
    me = asc.get_block_idx()
    gy = bind(y)
    if me == 0:
        gy.set_value(0, 1.0)  # <a>
    asc.sync_all()
    if me == 1:
        gy.set_value(1, 2.0)  # <b>


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[2, rt.current_stream()](x, y)

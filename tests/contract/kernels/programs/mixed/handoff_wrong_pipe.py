# finds: CROSS_CORE error GM MTE3>MTE2 a,b
import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit(kernel_type=config.KernelType.MIX_AIV_1_0)
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    me = asc.get_block_idx()
    if me == 0:
        asc.duplicate(t, 2.0, 64)
        sync(E.V_MTE3)
        asc.data_copy(bind(y), t, 64)  # <a>
    asc.cross_core_set_flag(1, 0, asc.PipeID.PIPE_MTE2)
    asc.cross_core_wait_flag(1, 0, asc.PipeID.PIPE_MTE2)
    if me == 1:
        asc.data_copy(t, bind(y), 64)  # <b>
        sync(E.MTE2_MTE3)
        asc.data_copy(bind(x), t, 64)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[2, rt.current_stream()](x, y)

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit(kernel_type=config.KernelType.MIX_AIV_1_0)
def kernel(x, y):
    me = asc.get_block_idx()
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    gy = bind(y)
    if me == 0:
        asc.duplicate(t, 2.0, 64)
        sync(E.V_MTE3)
        asc.data_copy(gy, t, 64)
    asc.sync_all()
    if me == 1:
        bind(x).set_value(0, gy.get_value(0))


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[2, rt.current_stream()](x, y)

# finds: CROSS_CORE error GM MTE2>MTE3 b,a
import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def kernel(z, w):
    zg = bind(z)
    me = asc.get_block_idx()
    if asc.ascend_is_aiv():
        t = asc.LocalTensor(F, P.VECIN, 0, N)
        asc.duplicate(t, 1.0, N)
        sync(E.V_MTE3)
        asc.data_copy(zg[me * N :], t, N)  # <a>
    if asc.ascend_is_aic():
        a = asc.LocalTensor(F, P.A1, 0, 2 * N)
        asc.data_copy(a, zg[me * 2 * N :], 2 * N)  # <b>


z = np.zeros(256, np.float32)
kernel[2, rt.current_stream()](z, z.copy())

# finds: RAW error GM MTE3>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z, w):
    zg, wg = bind(z), bind(w)
    me = asc.get_block_idx()
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 256, N)
    asc.duplicate(t, 2.0, N)
    sync(E.V_MTE3)
    asc.data_copy(zg[me * N :], t, N)  # <a>
    asc.cross_core_set_flag(1, 0, asc.PipeID.PIPE_V)
    asc.cross_core_wait_flag(1, 0, asc.PipeID.PIPE_MTE2)
    asc.data_copy(u, zg[me * N :], N)  # <b>
    sync(E.MTE2_MTE3)
    asc.data_copy(wg[me * N :], u, N)


kernel[2, rt.current_stream()](np.zeros(2 * N, np.float32), np.zeros(2 * N, np.float32))

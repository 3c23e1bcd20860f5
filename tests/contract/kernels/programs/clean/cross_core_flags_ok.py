import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z, w):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 256, N)
    zg = bind(z)
    wg = bind(w)
    me = asc.get_block_idx()
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(zg[me * N :], t, N)
    asc.cross_core_set_flag(3, 0, asc.PipeID.PIPE_MTE3)
    asc.cross_core_wait_flag(3, 0, asc.PipeID.PIPE_MTE2)
    asc.data_copy(u, zg[((me + 1) % 2) * N :], N)
    sync(E.MTE2_MTE3)
    asc.data_copy(wg[me * N :], u, N)


w = np.zeros(128, np.float32)
kernel[2, rt.current_stream()](np.zeros(128, np.float32), w)
assert (w == 1).all()

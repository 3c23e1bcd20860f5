import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z, w, space):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    flags = asc.LocalTensor(asc.int32, P.VECIN, 512, 40)
    zg, workspace = bind(z), bind(space)
    asc.wait_pre_block(workspace, flags)
    asc.data_copy(t, zg, N)
    sync(E.MTE2_V)
    asc.adds(t, t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(zg, t, N)
    asc.notify_next_block(workspace, flags)


z, w = np.zeros(4 * N, np.float32), np.zeros(4 * N, np.float32)
kernel[4, rt.current_stream()](z, w, np.ones(32, np.int32))

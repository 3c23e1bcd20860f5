# finds: OOB error GM - b
# finds: OOB error GM - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z, w, space):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    flags = asc.LocalTensor(asc.int32, P.VECIN, 512, 8)
    zg, workspace, me = bind(z), bind(space), asc.get_block_idx()
    if me == 0:
        asc.duplicate(t, 1.0, N)
        sync(E.V_MTE3)
        asc.data_copy(zg, t, N)
        asc.ib_set(workspace, flags, 3, 1)  # <b>
    elif me == 3:
        asc.ib_wait(workspace, flags, 3, 1)  # <a>
        asc.data_copy(t, zg, N)
        sync(E.MTE2_MTE3)
        asc.data_copy(bind(w), t, N)


z, w = np.zeros(4 * N, np.float32), np.zeros(4 * N, np.float32)
kernel[4, rt.current_stream()](z, w, np.zeros(56, np.int32))

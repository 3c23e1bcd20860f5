import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z, w, ws):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 256, N)
    k = asc.LocalTensor(asc.int32, P.VECIN, 512, 32)
    zg = bind(z)
    wg = bind(w)
    wsg = bind(ws)
    if asc.get_block_idx() == 0:
        asc.duplicate(t, 1.0, N)
        sync(E.V_MTE3)
        asc.data_copy(zg, t, N)
        asc.ib_set(wsg, k, 0, 0)
    else:
        asc.ib_wait(wsg, k, 0, 0)
        asc.data_copy(u, zg, N)
        sync(E.MTE2_MTE3)
        asc.data_copy(wg, u, N)


w = np.zeros(64, np.float32)
kernel[2, rt.current_stream()](np.zeros(64, np.float32), w, np.zeros(256, np.int32))
assert (w == 1).all()

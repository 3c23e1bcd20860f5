import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    me = asc.get_block_idx()
    w = asc.LocalTensor(asc.int32, P.VECIN, 1024, 64)
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    s = bind(x)
    if me < 2:
        asc.duplicate(t, 1.0, 64)
        sync(E.V_MTE3)
        asc.data_copy(bind(y)[me * 64 :], t, 64)
        asc.sync_all(s, w, 2)
        asc.data_copy(t, bind(y)[(1 - me) * 64 :], 64)
        sync(E.MTE2_V)


x = np.zeros(1024, np.int32)
y = np.zeros(1024, np.float32)
kernel[3, rt.current_stream()](x, y)

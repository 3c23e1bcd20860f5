import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_V)
    asc.adds(t, t, 1.0, 64, 1, asc.UnaryRepeatParams(2, 2, 16, 16))
    asc.adds(t[8:], t[8:], 2.0, 64, 1, asc.UnaryRepeatParams(2, 2, 16, 16))
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 128)


x = np.zeros(128, np.float32)
z = np.zeros(128, np.float32)
kernel[1, rt.current_stream()](x, z)
assert (z.reshape(-1, 2, 8)[:, 0] == 1).all() and (z.reshape(-1, 2, 8)[:, 1] == 2).all()

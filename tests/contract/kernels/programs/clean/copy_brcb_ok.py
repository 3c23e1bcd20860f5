import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    o = asc.LocalTensor(F, P.VECOUT, 512, N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.brcb(o, t, 1, asc.BrcbRepeatParams(1, 8))
    asc.copy(o[32:], t, 32, 1, asc.CopyRepeatParams(1, 1, 8, 8))
    sync(E.V_MTE3)
    asc.data_copy(bind(z), o, N)


x = np.arange(N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z[:32], np.repeat(x[:4], 8))
np.testing.assert_array_equal(z[32:], x[:32])

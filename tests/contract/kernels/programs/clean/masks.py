import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_V)
    asc.adds(t, t, 100.0, 10, 2, asc.UnaryRepeatParams(1, 1, 8, 8))
    asc.muls(t, t, 2.0, [0xF000000000000001, 0], 1, asc.UnaryRepeatParams(1, 1, 8, 8))
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 128)


x = np.arange(128, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
w = x.copy()
w[:10] += 100
w[64:74] += 100
w[0] *= 2
w[60:64] *= 2
np.testing.assert_array_equal(z, w)

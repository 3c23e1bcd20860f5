import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 256)
    b = asc.LocalTensor(F, P.VECIN, 1024, 8)
    o = asc.LocalTensor(F, P.VECOUT, 2048, 256)
    asc.data_copy(t, bind(x), 256)
    asc.data_copy(b, bind(y), 8)
    sync(E.MTE2_V)
    asc.add(o, t, b, 64, 4, asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0))
    sync(E.V_MTE3)
    asc.data_copy(bind(z), o, 256)


x = np.arange(256, dtype=np.float32)
y = np.arange(8, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, y, z)
np.testing.assert_array_equal(z, x + np.tile(y, 32))

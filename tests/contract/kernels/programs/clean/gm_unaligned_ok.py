import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 64)
    asc.data_copy(t, bind(x)[3:], 48)
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z)[5:], t, 48)


x = np.arange(64, dtype=np.float16)
z = np.zeros(64, np.float16)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z[5:53], x[3:51])

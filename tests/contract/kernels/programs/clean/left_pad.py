import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 32)
    asc.data_copy_pad(t, bind(x), asc.DataCopyExtParams(2, 20, 4, 1, 0), asc.DataCopyPadExtParams(F, True, 2, 1, 9.0))
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, 8)
    asc.data_copy(bind(z)[8:], t[16:], 8)


x = np.arange(16, dtype=np.float32)
z = np.zeros(16, np.float32)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, [9, 9, 0, 1, 2, 3, 4, 9, 9, 9, 6, 7, 8, 9, 10, 9])

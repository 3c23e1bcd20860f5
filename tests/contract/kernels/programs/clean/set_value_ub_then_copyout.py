import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    for i in range(8):
        t.set_value(i, 1.5 * i)
    sync(E.S_MTE3)
    asc.data_copy(bind(z), t, 8)


z = np.ones(8, np.float32)
kernel[1, rt.current_stream()](np.ones(8, np.float32), z)
np.testing.assert_array_equal(z, np.arange(8) * 1.5)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    for i in range(8):
        t.set_value(i, i)
    sync(E.S_V)
    asc.muls(t, t, 2.0, 8)
    sync(E.V_S)
    v = t.get_value(3)
    sync(E.S_V)
    asc.adds(t, t, v, 8)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 8)


z = np.zeros(8, np.float32)
kernel[1, rt.current_stream()](np.ones(N, np.float32), z)
np.testing.assert_array_equal(z, np.arange(8) * 2 + 6)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 128)
    r = asc.LocalTensor(asc.float16, P.VECOUT, 1024, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_V)
    asc.adds(r, t, float("-inf"), 128)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), r, 16)


z = np.zeros(16, np.float16)
kernel[1, rt.current_stream()](np.full(128, 3, np.float16), z)
assert z[0] == -np.inf

# finds: OVERFLOW note UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(asc.float32, P.VECIN, 0, 128)
    r = asc.LocalTensor(asc.float16, P.VECOUT, 1024, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_V)
    asc.cast(r, t, asc.RoundMode.CAST_NONE, 128)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), r, 16)


z = np.zeros(16, np.float16)
kernel[1, rt.current_stream()](np.full(128, 70000, np.float32), z)
assert z[0] == np.inf

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    scale = asc.LocalTensor(F, P.VECIN, 0, 8)
    t = asc.LocalTensor(F, P.VECIN, 256, N)
    asc.data_copy(t, xg, N)
    asc.data_copy(scale, xg, 8)
    s = scale.get_value(0)
    asc.muls(t, t, s, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, N)


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](np.full(N, 3, np.float32), z)
assert (z == 9).all()

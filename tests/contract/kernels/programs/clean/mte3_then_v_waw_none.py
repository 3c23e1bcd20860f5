import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 256, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(zg, t, N)
    asc.duplicate(u, 2.0, N)
    sync(E.V_MTE3, 1)
    asc.data_copy(zg[N:], u, N)


z = np.zeros(2 * N, np.float32)
kernel[1, rt.current_stream()](np.ones(N, np.float32), z)
assert (z[:N] == 1).all() and (z[N:] == 2).all()

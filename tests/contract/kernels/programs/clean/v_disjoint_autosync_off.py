import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, z):
    u = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(u, 2.0, 32)
    asc.duplicate(u[32:], 3.0, 32)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)


z = np.ones(N, np.float32)
kernel[1, rt.current_stream()](np.ones(N, np.float32), z)
assert (z[:32] == 2).all() and (z[32:] == 3).all()

# finds: UNINITIALIZED warning UB V a
# finds: UNINITIALIZED error UB MTE3 b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECOUT, 256, N)
    asc.duplicate(t, 1.0, N)
    asc.add(u, t, u, N)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

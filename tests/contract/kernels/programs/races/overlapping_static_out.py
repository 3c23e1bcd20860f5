# finds: WAR error UB MTE3>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECIN, 224, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, N)  # <a>
    asc.duplicate(u, 1.0, N)  # <b>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

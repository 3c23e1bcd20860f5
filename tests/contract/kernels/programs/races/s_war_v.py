# finds: WAR error UB V>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, sync


@asc.jit(auto_sync=False)
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    u = asc.LocalTensor(F, P.VECIN, 32, 8)
    asc.duplicate(t, 1.0, 8)
    sync(E.V_S)
    t.set_value(0, 4.0)
    sync(E.S_V)
    asc.adds(u, t, 1.0, 8)  # <a>
    t.set_value(0, 5.0)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

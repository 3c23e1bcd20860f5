# finds: RAW error UB S>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(z):
    t = asc.LocalTensor(F, P.VECCALC, 0, N)
    u = asc.LocalTensor(F, P.VECCALC, 256, N)
    asc.duplicate(t, 0.0, N)
    sync(E.V_S)
    t.set_value(3, 5.0)  # <a>
    asc.adds(u, t, 1.0, N)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)


kernel[1, rt.current_stream()](np.zeros(N, np.float32))

# finds: WAW error UB V>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, z):
    u = asc.LocalTensor(F, P.VECIN, N * 4, N)
    asc.duplicate(u, 2.0, N)  # <a>
    asc.duplicate(u, 3.0, N)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

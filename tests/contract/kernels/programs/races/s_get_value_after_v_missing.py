# finds: RAW error UB V>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit(auto_sync=False)
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)  # <a>
    v = t.get_value(0)  # <b>
    asc.duplicate(asc.LocalTensor(F, P.VECIN, 4 * N, N), v, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

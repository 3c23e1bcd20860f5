# finds: ROUNDED_COPY error UB MTE3 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 16)
    asc.duplicate(t, 1.0, 16)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 12)  # <a>


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](np.ones(64, np.float32), z)
assert z.sum() == 8

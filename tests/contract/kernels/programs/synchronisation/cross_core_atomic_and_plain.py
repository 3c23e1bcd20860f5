# finds: CROSS_CORE error GM MTE3>MTE3 b,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    zg = bind(z)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    if asc.get_block_idx() == 0:
        asc.data_copy(zg, t, N)  # <b>
    else:
        asc.set_atomic_add(F)
        asc.data_copy(zg, t, N)  # <a>
        asc.set_atomic_none()


kernel[2, rt.current_stream()](np.zeros(64, np.float32))

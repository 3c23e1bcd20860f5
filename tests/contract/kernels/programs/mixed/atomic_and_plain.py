# finds: CROSS_CORE error GM MTE3>MTE3 a,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 32)
    me = asc.get_block_idx()
    asc.duplicate(t, 1.0, 32)
    sync(E.V_MTE3)
    if me == 0:
        asc.set_atomic_add(F)
    asc.data_copy(bind(y), t, 32)  # <a>
    asc.set_atomic_none()


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[2, rt.current_stream()](x, y)

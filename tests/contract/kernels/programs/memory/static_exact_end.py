# finds: UB_OVERFLOW warning UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x):
    t = asc.LocalTensor(F, P.VECIN, 196608 - 64, 16)  # <a>
    asc.duplicate(t, 2.0, 16)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, 16)


x = np.zeros(16, np.float32)
kernel[1, rt.current_stream()](x)
assert (x == 2).all()

# finds: CROSS_CORE error GM MTE3>MTE3 a,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.duplicate(t, 2.0, 64)
    sync(E.V_MTE3)
    asc.data_copy(bind(y), t, 64)  # <a>


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[4, rt.current_stream()](x, y)

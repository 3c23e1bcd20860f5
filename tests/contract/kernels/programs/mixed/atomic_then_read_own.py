# finds: RAW error GM MTE3>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 32)
    asc.duplicate(t, 1.0, 32)
    sync(E.V_MTE3)
    asc.set_atomic_add(F)
    asc.data_copy(bind(y), t, 32)  # <a>
    asc.set_atomic_none()
    asc.data_copy(t[0:], bind(y)[0:], 32)  # <b>


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

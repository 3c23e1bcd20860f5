# finds: MISSING_DCCI error GM MTE3>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(y, z):
    yg = bind(y)
    t = asc.LocalTensor(F, P.VECOUT, 0, N)
    asc.duplicate(t, yg.get_value(0), N)
    asc.adds(t, t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(yg, t, N)  # <a>
    bind(z).set_value(0, yg.get_value(5))  # <b>


y, z = np.zeros(N, np.float32), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](y, z)
assert y[5] == 1 and z[0] == 0

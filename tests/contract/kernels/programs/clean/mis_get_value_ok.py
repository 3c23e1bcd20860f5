import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_S)
    v = t.get_value(3) + t[5:].get_value(0)
    bind(x).set_value(7, v)


x = np.ones(64, np.float32)
kernel[1, rt.current_stream()](x, np.ones(N, np.float32))
assert x[7] == 2 and x[8] == 1

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.adds(t, t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, N)


x = np.zeros(N, np.float32)
for _ in range(5):
    kernel[1, rt.current_stream()](x)
assert (x == 5).all()

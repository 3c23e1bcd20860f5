import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, xg, N)
    sync(E.MTE2_S)
    first = t.get_value(0)
    sync(E.S_MTE2)
    asc.data_copy(t, xg[N:], N)
    sync(E.MTE2_S)
    bind(z).set_value(0, first + t.get_value(0))


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](np.ones(2 * N, np.float32), z)
assert z[0] == 2

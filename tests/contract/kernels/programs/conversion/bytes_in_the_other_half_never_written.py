# finds: UNINITIALIZED error UB MTE3 b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(asc.int16, P.VECIN, 0, N)
    u = asc.LocalTensor(asc.int8, P.VECOUT, 1024, 2 * N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.set_deq_scale(1.0, 0, True)
    asc.cast_deq(u, t, N, False, True)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, 2 * N)  # <b>


x, z = np.arange(N, dtype=np.int16), np.zeros(2 * N, np.int8)
kernel[1, rt.current_stream()](x, z)

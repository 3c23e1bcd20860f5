# finds: ALIASING error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, places, z):
    table = asc.LocalTensor(F, P.VECIN, 0, N)
    offsets = asc.LocalTensor(asc.uint32, P.VECIN, 256, N)
    r = table
    asc.data_copy(table, bind(x), N)
    asc.data_copy(offsets, bind(places), N)
    sync(E.MTE2_V)
    asc.gather(r, table, offsets, 0, N)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), r, N)


x, z = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, np.arange(0, 4 * N, 4, dtype=np.uint32), z)

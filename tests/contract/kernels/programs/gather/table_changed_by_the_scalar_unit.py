import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, places, z):
    table = asc.LocalTensor(F, P.VECIN, 0, N)
    offsets = asc.LocalTensor(asc.uint32, P.VECIN, 256, N)
    r = asc.LocalTensor(F, P.VECOUT, 512, N)
    asc.data_copy(table, bind(x), N)
    asc.data_copy(offsets, bind(places), N)
    sync(E.MTE2_V)
    table.set_value(1, 7.0)
    asc.gather(r, table, offsets, 0, N)
    table.set_value(2, 9.0)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), r, N)


x, z = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, np.arange(0, 4 * N, 4, dtype=np.uint32), z)
assert z[0] == 0 and z[1] == 7 and z[2] == 2

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, where, z):
    table = asc.LocalTensor(F, P.VECIN, 0, N)
    offsets = asc.LocalTensor(asc.uint32, P.VECIN, 1024, N)
    t = asc.LocalTensor(F, P.VECOUT, 2048, N)
    asc.data_copy(table, bind(x), 32)
    asc.data_copy(offsets, bind(where), N)
    sync(E.MTE2_V)
    asc.data_copy(table[32:], bind(x), 32)
    asc.gather(t, table, offsets, 0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, N)


x = np.arange(2 * N, dtype=np.float32)
where = np.arange(N, dtype=np.uint32) % 32 * 4
z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, where, z)
assert (z == np.arange(N) % 32).all()

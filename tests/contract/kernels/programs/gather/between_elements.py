# finds: MISALIGNED error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, where, z):
    table = asc.LocalTensor(F, P.VECIN, 0, N)
    offsets = asc.LocalTensor(asc.uint32, P.VECIN, 1024, N)
    t = asc.LocalTensor(F, P.VECOUT, 2048, N)
    asc.data_copy(table, bind(x), N)
    asc.data_copy(offsets, bind(where), N)
    sync(E.MTE2_V)
    asc.gather(t, table, offsets, 0, N)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, N)


x = np.arange(2 * N, dtype=np.float32)
where = np.full(N, 6, np.uint32)
z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, where, z)

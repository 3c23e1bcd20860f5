import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 2 * N)
    u = asc.LocalTensor(F, P.VECOUT, 2048, 2 * N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    queues = asc.MrgSortSrcList(F, t[0:], t[32:])
    asc.mrg_sort(u, queues, asc.MrgSort4Info([16, 16], False, 3, 1))  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, N)


x, z = np.repeat(-np.arange(32, dtype=np.float32), 2), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, z)

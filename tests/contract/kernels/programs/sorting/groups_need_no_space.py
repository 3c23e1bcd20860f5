import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, where, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    index = asc.LocalTensor(asc.uint32, P.VECIN, 1024, N)
    u = asc.LocalTensor(F, P.VECOUT, 2048, 4 * N)
    tmp = asc.LocalTensor(F, P.VECCALC, 4096, 8)
    asc.data_copy(index, bind(where), N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.sort(u, t, index, tmp, 2)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, 2 * N)


x = np.random.default_rng(0).permutation(N).astype(np.float32)
where, z = np.arange(N, dtype=np.uint32), np.zeros(2 * N, np.float32)
kernel[1, rt.current_stream()](x, where, z)
assert z[0] == x[:32].max()

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, i, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    k = asc.LocalTensor(asc.uint32, P.VECIN, 256, N)
    o = asc.LocalTensor(F, P.VECOUT, 512, N)
    asc.data_copy(t, bind(x), N)
    asc.data_copy(k, bind(i), N)
    sync(E.MTE2_V)
    asc.gather(o, t, k, 0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), o, N)


x = np.arange(N, dtype=np.float32)
i = np.random.default_rng(0).permutation(N).astype(np.uint32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, i * 4, z)
np.testing.assert_array_equal(z, x[i])

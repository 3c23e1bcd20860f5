import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime import config

from ..prelude import E, F, N, P, bind, sync

config.set_platform(config.Backend.Model, config.Platform.Ascend950PR_9589)


@asc.jit
def kernel(x, where, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    offsets = asc.LocalTensor(asc.uint32, P.VECIN, 1024, N)
    u = asc.LocalTensor(F, P.VECOUT, 2048, 2 * N)
    asc.data_copy(t, bind(x), N)
    asc.data_copy(offsets, bind(where), N)
    sync(E.MTE2_V)
    asc.scatter(u, t, offsets, 0, N)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u[0:], N)  # <b>


x, z = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
where = np.arange(N, dtype=np.uint32)[::-1] * 4
kernel[1, rt.current_stream()](x, where, z)
np.testing.assert_array_equal(z, x[::-1])

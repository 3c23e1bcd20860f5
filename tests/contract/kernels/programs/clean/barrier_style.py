import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    for i in range(4):
        asc.data_copy(t, xg[i * N :], N)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(t, t, 1.0, N)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(zg[i * N :], t, N)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


x = np.arange(4 * N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, x + 1)

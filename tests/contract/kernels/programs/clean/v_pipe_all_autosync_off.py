import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit(auto_sync=False)
def kernel(x, z):
    u = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(u, bind(x), N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(u, u, 3.0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(bind(z), u, N)


z = np.ones(N, np.float32)
kernel[1, rt.current_stream()](np.ones(N, np.float32), z)
assert (z == 4).all()

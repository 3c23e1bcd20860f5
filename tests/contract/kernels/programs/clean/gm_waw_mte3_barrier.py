import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(xg, t, N)
    asc.pipe_barrier(asc.PipeID.PIPE_MTE3)
    asc.data_copy(xg[32:], t, 32)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

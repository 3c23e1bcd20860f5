# finds: REDUNDANT_SYNC note - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)  # <a>
    asc.adds(t, t, 1.0, N)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

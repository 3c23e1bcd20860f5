# finds: REDUNDANT_SYNC note - - a,b
# finds: REDUNDANT_SYNC note - - c
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    for _ in range(5):
        asc.data_copy(t, bind(x), N)
        sync(E.MTE2_V)
        asc.set_flag(E.MTE2_V, 0)  # <a>
        asc.wait_flag(E.MTE2_V, 0)  # <b>
        asc.adds(t, t, 1.0, N)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)  # <c>


kernel[1, rt.current_stream()](np.ones(N, np.float32))

# finds: OOB error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECIN, 2)
    pipe.init_buffer(q, 2, N * 4)
    t = q.alloc_tensor(F)
    asc.duplicate(t, 1.0, N + 1)  # <a>
    q.free_tensor(t)


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: USE_AFTER_FREE error UB MTE3 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    o = asc.TQue(P.VECOUT, 1)
    pipe.init_buffer(o, 1, N * 4)
    u = o.alloc_tensor(F)
    asc.duplicate(u, 1.0, N)
    o.enque(u)
    u = o.deque(F)
    o.free_tensor(u)
    asc.data_copy(bind(z), u, N)  # <a>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

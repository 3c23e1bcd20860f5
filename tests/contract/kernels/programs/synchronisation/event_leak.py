# finds: EVENT_ID error - - c
# finds: EVENT_ID error - - s
# finds: EVENT_ID error - - w
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    pipe = asc.TPipe()
    for _ in range(10):
        e = pipe.alloc_event_id(E.MTE2_V)  # <c>
        asc.data_copy(t, xg, N)
        asc.set_flag(E.MTE2_V, e)  # <s>
        asc.wait_flag(E.MTE2_V, e)  # <w>
        asc.adds(t, t, 1.0, N)
        sync(E.V_MTE2)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    pipe.init_buffer(b, N * 4)
    t = b.get(F)
    for _ in range(12):
        e = pipe.alloc_event_id(E.MTE2_V)
        asc.data_copy(t, xg, N)
        asc.set_flag(E.MTE2_V, e)
        asc.wait_flag(E.MTE2_V, e)
        pipe.release_event_id(e, E.MTE2_V)
        asc.adds(t, t, 1.0, N)
        f = pipe.fetch_event_id(E.V_MTE2)
        asc.set_flag(E.V_MTE2, f)
        asc.wait_flag(E.V_MTE2, f)


x = np.ones(N, np.float32)
kernel[1, rt.current_stream()](x, x.copy())

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    xg = bind(x)
    zg = bind(z)
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    pipe.init_buffer(b, 4 * N * 4)
    t = b.get(F, N)
    u = b.get_with_offset(N, N * 4, F)
    e1 = pipe.fetch_event_id(E.MTE2_V)
    asc.data_copy(t, xg, N)
    asc.set_flag(E.MTE2_V, e1)
    asc.wait_flag(E.MTE2_V, e1)
    asc.exp(u, t, N)
    asc.mul(u, u, t, N)
    e2 = pipe.alloc_event_id(E.V_MTE3)
    asc.set_flag(E.V_MTE3, e2)
    asc.wait_flag(E.V_MTE3, e2)
    pipe.release_event_id(e2, E.V_MTE3)
    asc.data_copy(zg, u, N)


x = np.linspace(0, 1, N, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_allclose(z, np.exp(x) * x, rtol=1e-6)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    """The second set of MTE2_V stands behind a wait that V answers after it has waited for the first."""
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECOUT, 256, N)
    asc.data_copy(t, xg, N)
    asc.set_flag(E.MTE2_V, 0)
    asc.wait_flag(E.V_MTE2, 1)
    asc.data_copy(t, xg[N:], N)
    asc.set_flag(E.MTE2_V, 0)
    asc.wait_flag(E.MTE2_V, 0)
    asc.adds(u, t, 1.0, N)
    asc.set_flag(E.V_MTE2, 1)
    asc.wait_flag(E.MTE2_V, 0)
    asc.add(u, u, t, N)
    asc.set_flag(E.V_MTE3, 0)
    asc.wait_flag(E.V_MTE3, 0)
    asc.data_copy(bind(z), u, N)


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](np.arange(2 * N, dtype=np.float32), z)
assert (z == np.arange(N) * 2 + N + 1).all()

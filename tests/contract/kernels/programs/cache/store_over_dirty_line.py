# finds: MISSING_DCCI error GM S>MTE3 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z):
    """The line goes back behind the store and overwrites it."""
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECOUT, 0, N)
    asc.duplicate(t, 1.0, N)
    zg.set_value(0, 9.0)  # <a>
    sync(E.V_MTE3)
    sync(E.S_MTE3)
    asc.data_copy(zg, t, N)  # <b>


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](z)
assert z[0] == 9 and z[1] == 1

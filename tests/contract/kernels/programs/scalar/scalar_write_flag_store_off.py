import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(z):
    t = asc.LocalTensor(F, P.VECOUT, 0, N)
    asc.duplicate(t, 0.0, N)
    sync(E.V_S)
    t.set_value(0, 5.0)
    sync(E.S_MTE3)
    asc.data_copy(bind(z), t, N)


z = np.ones(N, np.float32)
kernel[1, rt.current_stream()](z)
assert z[0] == 5 and z[1] == 0

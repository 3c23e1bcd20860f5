# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    u = asc.LocalTensor(F, P.VECOUT, 1024, 32)
    asc.duplicate(u, 0.0, 32)
    asc.data_copy(t, bind(x), N)  # <a>

    count = asc.gather_mask(u, t, 2, False, 0, asc.GatherMaskParams(1, 1, 8, 0))  # <b>
    assert int(count) == 32
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, 32)


x, z = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, z)

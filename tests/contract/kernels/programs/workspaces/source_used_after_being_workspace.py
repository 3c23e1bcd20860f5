# finds: UNINITIALIZED warning UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 640)
    m = asc.LocalTensor(F, P.VECOUT, 8192, 8)
    asc.data_copy(t, bind(x), 640)
    sync(E.MTE2_V)
    asc.reduce_max(m, t, t, 640)
    asc.adds(t, t, 1.0, 640)  # <a>
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(z), m, asc.DataCopyExtParams(1, 4, 0, 0, 0))


z = np.zeros(1, np.float32)
kernel[1, rt.current_stream()](np.arange(640, dtype=np.float32), z)
assert z[0] == 639

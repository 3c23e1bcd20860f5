import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 640)
    work = asc.LocalTensor(F, P.VECCALC, 4096, 16)
    m = asc.LocalTensor(F, P.VECOUT, 8192, 8)
    asc.data_copy(t, bind(x), 640)
    sync(E.MTE2_V)
    asc.reduce_min(m, t, work, 64, True)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(z), m, asc.DataCopyExtParams(1, 4, 0, 0, 0))


z = np.zeros(1, np.float32)
kernel[1, rt.current_stream()](np.arange(640, dtype=np.float32), z)
assert z[0] == 0

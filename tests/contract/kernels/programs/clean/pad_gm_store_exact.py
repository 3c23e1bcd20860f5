import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.duplicate(t, 1.0, 64)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(z), t, asc.DataCopyExtParams(4, 20, 0, 4, 0))


z = np.zeros(23, np.float32)
kernel[1, rt.current_stream()](np.ones(64, np.float32), z)
assert z.sum() == 20 and z[5] == z[11] == z[17] == 0

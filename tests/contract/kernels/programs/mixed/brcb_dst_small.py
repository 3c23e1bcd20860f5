# finds: OOB error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 8)
    r = asc.LocalTensor(F, P.VECIN, 256, 56)
    asc.data_copy(t, bind(x), 8)
    sync(E.MTE2_V)
    asc.brcb(r, t, 1, asc.BrcbRepeatParams(1, 8))  # <a>


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

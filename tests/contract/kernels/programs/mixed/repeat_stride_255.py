# finds: OOB error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 512)
    asc.duplicate(t, 1.0, 512)
    asc.adds(t, t, 1.0, 64, 2, asc.UnaryRepeatParams(1, 1, 255, 255))  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(y), t, 64)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

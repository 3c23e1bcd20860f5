# finds: RAW error UB MTE2>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, y):
    t = asc.LocalTensor(asc.uint32, P.VECIN, 0, 64)
    asc.data_copy(t, bind(x), 64)  # <a>
    n = t.get_value(0)  # <b>
    r = asc.LocalTensor(F, P.VECIN, 256, 64)
    asc.duplicate(r, 0.0, 64)
    for _ in range(n):
        asc.adds(r, r, 1.0, 64)
    sync(E.V_MTE3)
    asc.data_copy(bind(y), r, 64)


x = np.ones(1024, np.uint32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

# finds: WAR error UB MTE3>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.duplicate(t, 1.0, 64)
    sync(E.V_MTE3)
    asc.data_copy(bind(y), t, 64)  # <a>
    t.set_value(0, 2.0)  # <b>


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

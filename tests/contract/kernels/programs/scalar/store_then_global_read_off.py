# finds: RAW error GM MTE3>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(y, z):
    yg = bind(y)
    t = asc.LocalTensor(F, P.VECOUT, 0, N)
    asc.duplicate(t, 2.0, N)
    sync(E.V_MTE3)
    asc.data_copy(yg, t, N)  # <a>
    bind(z).set_value(0, yg.get_value(5))  # <b>


kernel[1, rt.current_stream()](np.zeros(N, np.float32), np.zeros(N, np.float32))

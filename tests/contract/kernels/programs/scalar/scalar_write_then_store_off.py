# finds: RAW error UB S>MTE3 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(z):
    t = asc.LocalTensor(F, P.VECOUT, 0, N)
    asc.duplicate(t, 0.0, N)
    sync(E.V_S)
    t.set_value(0, 5.0)  # <a>
    sync(E.S_V)
    asc.data_copy(bind(z), t, N)  # <b>


kernel[1, rt.current_stream()](np.zeros(N, np.float32))

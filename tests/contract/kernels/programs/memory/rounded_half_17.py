# finds: ROUNDED_COPY error UB MTE3 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 32)
    asc.duplicate(t, 1.0, 32)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, 17)  # <a>


kernel[1, rt.current_stream()](np.ones(32, np.float16))

# finds: RAW error UB V>MTE3 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def good(x):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, N)


@asc.jit
def bad(x):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)  # <a>
    asc.data_copy(bind(x), t, N)  # <b>


x = np.ones(N, np.float32)
good[1, rt.current_stream()](x)
bad[1, rt.current_stream()](x)
good[1, rt.current_stream()](x)

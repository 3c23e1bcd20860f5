import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x):
    t = asc.LocalTensor(F, P.VECIN, 0, 2 * N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_V)
    asc.adds(t, t, 1.0, N)
    if asc.get_block_idx() == 2:
        asc.data_copy(t[N:], bind(x), N)
    asc.set_flag(E.MTE2_V, 0)
    asc.wait_flag(E.MTE2_V, 0)
    if asc.get_block_idx() == 2:
        asc.adds(t[N:], t[N:], 1.0, N)


kernel[3, rt.current_stream()](np.ones(N, np.float32))

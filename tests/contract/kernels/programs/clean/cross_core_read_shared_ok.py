import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z)[asc.get_block_idx() * N :], t, N)


kernel[3, rt.current_stream()](np.zeros(64, np.float32), np.zeros(192, np.float32))

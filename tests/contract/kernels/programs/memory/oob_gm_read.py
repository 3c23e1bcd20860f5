# finds: OOB error GM MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x)[8:], N)  # <a>
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, 32)


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

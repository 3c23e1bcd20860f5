# finds: CROSS_CORE error GM MTE3>MTE3 a,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z + asc.get_block_idx() * 56), t, N)  # <a>


kernel[2, rt.current_stream()](np.zeros(128, np.float32))

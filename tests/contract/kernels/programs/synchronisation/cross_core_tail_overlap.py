# finds: CROSS_CORE error GM MTE3>MTE3 a,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(z, own: int):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z)[asc.get_block_idx() * own :], t, 16)  # <a>


kernel[3, rt.current_stream()](np.zeros(192, np.float32), 12)

# finds: MISSING_DCCI error GM MTE3>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(x, z):
    """Core 1 has the line since before the barrier, and reads core 0's new word from it."""
    xg = bind(x)
    t = asc.LocalTensor(F, P.VECOUT, 0, 8)
    before = xg.get_value(0)
    if asc.get_block_idx() == 0:
        asc.duplicate(t, 5.0, 8)
        sync(E.V_MTE3)
        asc.data_copy(xg[8:], t, 8)  # <a>
    asc.sync_all()
    if asc.get_block_idx() == 1:
        bind(z).set_value(0, before + xg.get_value(8))  # <b>


kernel[2, rt.current_stream()](np.zeros(N, np.float32), np.zeros(N, np.float32))

import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, N, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    zg = bind(z)
    asc.duplicate(t, 0.0, N)
    sync(E.V_MTE3)
    if asc.get_block_idx() == 0:
        asc.data_copy(zg, t, N)
    asc.sync_all()
    sync(E.MTE3_V)
    asc.duplicate(t, 1.0, N)
    sync(E.V_MTE3)
    asc.set_atomic_add(F)
    asc.data_copy(zg, t, N)
    asc.set_atomic_none()


z = np.full(64, 7, np.float32)
kernel[4, rt.current_stream()](z)
assert (z == 4).all()

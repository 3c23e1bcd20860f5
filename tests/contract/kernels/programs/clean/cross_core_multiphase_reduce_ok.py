import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import E, F, P, bind, sync


@asc.jit(kernel_type=KernelType.MIX_AIV_1_0)
def kernel(x, ws, out):
    me = asc.get_block_idx()
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    w = asc.LocalTensor(F, P.VECCALC, 256, 64)
    d = asc.LocalTensor(F, P.VECOUT, 512, 8)
    asc.data_copy(t, bind(x)[me * 64 :], 64)
    sync(E.MTE2_V)
    asc.duplicate(d, 0.0, 8)
    asc.reduce_sum(d, t, w, 64)
    sync(E.V_MTE3)
    asc.data_copy(bind(ws)[me * 8 :], d, 8)
    asc.sync_all()
    if me == 0:
        asc.data_copy(t, bind(ws), 32)
        sync(E.MTE2_V)
        asc.reduce_sum(d, t, w, 32)
        sync(E.V_MTE3)
        asc.data_copy(bind(out), d, 8)


x = np.arange(256, dtype=np.float32)
out = np.zeros(8, np.float32)
kernel[4, rt.current_stream()](x, np.zeros(32, np.float32), out)
assert out[0] == x.sum()

# finds: OOB error UB V b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, where, z):
    table = asc.LocalTensor(asc.uint32, P.VECIN, 0, 128)
    offsets = asc.LocalTensor(asc.uint32, P.VECIN, 1024, 16)
    t = asc.LocalTensor(asc.uint32, P.VECOUT, 2048, 128)
    asc.data_copy(offsets, bind(where), 16)
    asc.data_copy(table, bind(x), 128)
    sync(E.MTE2_V)
    asc.gatherb(t, table, offsets, 2, asc.GatherRepeatParams())  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 128)


x, z = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
where = np.arange(16, dtype=np.uint32) * 64
kernel[1, rt.current_stream()](x, where, z)

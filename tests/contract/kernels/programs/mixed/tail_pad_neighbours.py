import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    me = asc.get_block_idx()
    asc.duplicate(t, 2.0, 64)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(y)[me * 61 :], t, asc.DataCopyExtParams(1, 244, 0, 0, 0))


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[4, rt.current_stream()](x, y)

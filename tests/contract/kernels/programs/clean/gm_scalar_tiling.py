import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z, tiling):
    tg = bind(tiling)
    n = tg.get_value(asc.get_block_idx())
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy_pad(
        t, bind(x), asc.DataCopyExtParams(1, n * 4, 0, 0, 0), asc.DataCopyPadExtParams(F, True, 0, 0, 0.0)
    )
    sync(E.MTE2_MTE3)
    asc.data_copy_pad(bind(z)[asc.get_block_idx() * 64 :], t, asc.DataCopyExtParams(1, n * 4, 0, 0, 0))


x = np.ones(64, np.float32)
z = np.zeros(128, np.float32)
kernel[2, rt.current_stream()](x, z, np.array([3, 60], np.int32))
assert z.sum() == 63

# finds: OOB error GM MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 16 * 8)
    asc.data_copy_pad(  # <a>
        t, bind(x), asc.DataCopyExtParams(8, 26, 6, 0, 0), asc.DataCopyPadExtParams(asc.float16, True, 0, 3, 0.0)
    )
    sync(E.MTE2_V)
    asc.adds(t, t, 1.0, 128)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(y), t, asc.DataCopyExtParams(7, 26, 0, 6, 0))


x = np.ones(112, np.float16)
y = np.zeros(112, np.float16)
kernel[1, rt.current_stream()](x, y)

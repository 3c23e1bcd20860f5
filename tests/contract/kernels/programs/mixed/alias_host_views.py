# finds: RAW error GM MTE3>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    u = asc.LocalTensor(F, P.VECIN, 512, 128)
    asc.duplicate(t, 3.0, 128)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, 128)  # <a>
    asc.data_copy(u, bind(y), 128)  # <b>
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(y)[128:], u, 128)


a = np.ones(1024, np.float32)
kernel[1, rt.current_stream()](a[:512], a[64:576])

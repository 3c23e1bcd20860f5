# finds: WAR error UB MTE3>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    o = asc.LocalTensor(F, P.VECOUT, 512, 128)
    for i in range(3):
        asc.data_copy(t, bind(x)[i * 128 :], 128)
        sync(E.MTE2_V)
        asc.muls(o, t, 2.0, 128)  # <b>
        asc.set_flag(E.V_MTE2, 1)
        sync(E.V_MTE3)
        asc.data_copy(bind(y)[i * 128 :], o, 128)  # <a>
        asc.wait_flag(E.V_MTE2, 1)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

# finds: UNPAIRED_FLAG warning - MTE3>MTE2 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 256)
    asc.set_flag(E.MTE3_MTE2, 0)
    asc.set_flag(E.MTE3_MTE2, 1)
    for i in range(4):
        b = i % 2
        asc.wait_flag(E.MTE3_MTE2, b)
        asc.data_copy(t[b * 128 :], bind(x)[i * 128 :], 128)
        asc.set_flag(E.MTE2_MTE3, b)
        asc.wait_flag(E.MTE2_MTE3, b)
        asc.data_copy(bind(y)[i * 128 :], t[b * 128 :], 128)
        asc.set_flag(E.MTE3_MTE2, b)  # <a>
    asc.wait_flag(E.MTE3_MTE2, 0)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 256)
    for i in range(2):
        asc.set_flag(E.V_MTE2, i)
    for i in range(6):
        b = i % 2
        asc.wait_flag(E.V_MTE2, b)
        asc.data_copy(t[b * 128 :], bind(x)[i * 128 :], 128)
        asc.set_flag(E.MTE2_V, b)
        asc.wait_flag(E.MTE2_V, b)
        asc.adds(t[b * 128 :], t[b * 128 :], 1.0, 128)
        asc.set_flag(E.V_MTE2, b)
    for i in range(2):
        asc.wait_flag(E.V_MTE2, i)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind


@asc.jit
def kernel(x, y):
    t = asc.LocalTensor(F, P.VECIN, 0, 256)
    asc.data_copy(t, bind(x), 128)
    asc.set_flag(E.MTE2_V, 0)
    asc.data_copy(t[128:], bind(x)[128:], 128)  # <a>
    asc.set_flag(E.MTE2_V, 1)
    asc.wait_flag(E.MTE2_V, 0)
    asc.adds(t[128:], t[128:], 1.0, 128)  # <b>
    asc.wait_flag(E.MTE2_V, 1)
    asc.adds(t, t, 1.0, 128)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

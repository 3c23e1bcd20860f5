# finds: DEADLOCK error - V d
# finds: UNPAIRED_FLAG warning - MTE2>V c
# finds: UNPAIRED_FLAG warning - MTE2>V d
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), N)  # <a>
    asc.set_flag(E.MTE2_V, 0)  # <c>
    asc.wait_flag(E.MTE2_V, 1)  # <d>
    asc.adds(t, t, 1.0, N)  # <b>


kernel[1, rt.current_stream()](np.ones(N, np.float32), np.ones(N, np.float32))

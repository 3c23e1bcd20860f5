import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def kernel(z):
    t = asc.LocalTensor(F, P.VECCALC, 0, N)
    asc.duplicate(t, 3.0, N)
    zg = bind(z)
    zg.set_value(0, t.get_value(N - 1))
    t.set_value(0, 7.0)
    asc.adds(t, t, 1.0, N)
    zg.set_value(1, t.get_value(0))


z = np.zeros(N, np.float32)
kernel[1, rt.current_stream()](z)
assert z[0] == 3 and z[1] == 8

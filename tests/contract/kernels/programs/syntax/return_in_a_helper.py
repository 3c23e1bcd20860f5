# finds: UNSUPPORTED_SYNTAX warning - - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def fill(zg, n):
    if n > 4:
        return  # <a>
    zg.set_value(n, 1.0)


@asc.jit
def kernel(z, n):
    zg = bind(z)
    for i in range(n):
        fill(zg, i)


z = np.zeros(16, np.float32)
kernel[1, rt.current_stream()](z, 8)
assert z.sum() == 5

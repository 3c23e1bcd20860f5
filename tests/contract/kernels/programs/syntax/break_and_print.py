# finds: UNSUPPORTED_SYNTAX warning - - a
# finds: UNSUPPORTED_SYNTAX warning - - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z, n):
    zg = bind(z)
    for i in range(n):
        if i == 3:
            print(i)  # <a>
            break  # <b>
        zg.set_value(i, 1.0)


z = np.zeros(16, np.float32)
kernel[1, rt.current_stream()](z, 8)
assert z.sum() == 3

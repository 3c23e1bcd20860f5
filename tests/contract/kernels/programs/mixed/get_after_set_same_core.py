import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(x, y):
    gy = bind(y)
    gy.set_value(0, 1.0)
    gy.set_value(1, gy.get_value(0) + 1)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)
assert y[1] == 2

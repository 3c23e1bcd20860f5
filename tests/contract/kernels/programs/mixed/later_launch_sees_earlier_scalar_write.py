import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(x, y):
    bind(y).set_value(0, 7.0)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)


@asc.jit
def second(y, x):
    bind(x).set_value(0, bind(y).get_value(0))


second[1, rt.current_stream()](y, x)
assert x[0] == 7

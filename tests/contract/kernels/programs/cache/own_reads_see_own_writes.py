import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z):
    """The scalar unit reads what it wrote: one cache."""
    zg = bind(z)
    for i in range(1, 40):
        zg.set_value(i, zg.get_value(i - 1) + 1.0)


z = np.zeros(64, np.float32)
kernel[1, rt.current_stream()](z)
assert z[39] == 39

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z):
    bind(z).set_value(asc.get_block_idx() * 16, 1.0)


z = np.zeros(64, np.float32)
kernel[4, rt.current_stream()](z)
assert (z[::16] == 1).all()

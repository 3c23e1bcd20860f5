# finds: CROSS_CORE error GM S>S a,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z):
    bind(z).set_value(asc.get_block_idx() * 4, 1.0)  # <a>


z = np.zeros(64, np.float32)
kernel[2, rt.current_stream()](z)
assert z[0] + z[4] == 1  # the line that goes back last wins

# finds: CROSS_CORE error GM S>S a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z, w):
    zg = bind(z)
    if asc.get_block_idx() == 0:
        zg.set_value(0, 5.0)  # <a>
    else:
        zg.get_value(0)  # <b>


kernel[2, rt.current_stream()](np.zeros(64, np.float32), np.zeros(64, np.float32))

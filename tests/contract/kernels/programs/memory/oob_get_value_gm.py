# finds: OOB error GM S a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, bind


@asc.jit
def kernel(x, z):
    g = bind(x)
    g.get_value(64)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

# finds: CROSS_CORE error GM S>S a,a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z):
    bind(z).set_value(0, 1.0)  # <a>


kernel[2, rt.current_stream()](np.zeros(128, np.float32))

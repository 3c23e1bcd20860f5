# finds: UB_OVERFLOW warning UB - b
# finds: UB_OVERFLOW error UB - a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P


@asc.jit
def kernel(x, z):
    ub = asc.LocalMemAllocator(asc.Hardware.UB)
    ub.alloc(P.VECIN, F, 49152)  # <b>
    ub.alloc(P.VECIN, F, 8)  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(N, np.float32))

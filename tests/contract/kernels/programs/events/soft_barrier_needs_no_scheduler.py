import asc
import asc.lib.runtime as rt
import numpy as np
from asc.runtime.config import KernelType

from ..prelude import P


@asc.jit(kernel_type=KernelType.AIV_ONLY)
def kernel(workspace):
    space = asc.GlobalTensor()
    space.set_global_buffer(workspace)
    asc.sync_all(space, asc.LocalTensor(asc.int32, P.VECCALC, 0, 16))


kernel[2, rt.current_stream()](np.zeros(16, np.int32))

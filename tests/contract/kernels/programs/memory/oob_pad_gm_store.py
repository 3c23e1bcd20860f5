# finds: OOB error GM MTE3 a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    asc.duplicate(t, 1.0, 64)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(z), t, asc.DataCopyExtParams(4, 20, 0, 4, 0))  # <a>


kernel[1, rt.current_stream()](np.ones(64, np.float32), np.ones(22, np.float32))

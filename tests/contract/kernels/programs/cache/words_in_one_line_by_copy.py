import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(z):
    """Copies of a few bytes do not share lines."""
    t = asc.LocalTensor(F, P.VECOUT, 0, 8)
    asc.duplicate(t, 1.0, 8)
    sync(E.V_MTE3)
    asc.data_copy_pad(bind(z)[asc.get_block_idx() * 4 :], t, asc.DataCopyExtParams(1, 16, 0, 0, 0))


z = np.zeros(16, np.float32)
kernel[4, rt.current_stream()](z)
assert (z == 1).all()

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_V)
    asc.set_mask_count()
    asc.set_vector_mask(0, 100, dtype=F, mode=asc.MaskMode.COUNTER)
    asc.adds(t, t, 1.0, 64, 1, asc.UnaryRepeatParams(1, 1, 8, 8), is_set_mask=False)
    asc.set_mask_norm()
    asc.reset_mask()
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 128)


x = np.arange(128, dtype=np.float32)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
w = x.copy()
w[:100] += 1
np.testing.assert_array_equal(z, w)

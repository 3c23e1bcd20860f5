import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    h = asc.LocalTensor(asc.float16, P.VECIN, 0, 128)
    f = asc.LocalTensor(F, P.VECCALC, 256, 128)
    asc.data_copy(h, bind(x), 128)
    sync(E.MTE2_V)
    asc.cast(f, h, asc.RoundMode.CAST_NONE, 128)
    asc.exp(f, f, 128)
    asc.cast(h, f, asc.RoundMode.CAST_NONE, 128)
    asc.muls(h, h, 0.1, 128)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), h, 128)


x = np.linspace(-2, 2, 128).astype(np.float16)
z = np.zeros(128, np.float16)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, np.exp(x.astype(np.float32)).astype(np.float16) * np.float16(0.1))

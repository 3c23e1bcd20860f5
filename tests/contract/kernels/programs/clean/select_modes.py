import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(asc.float16, P.VECIN, 0, 256)
    m = asc.LocalTensor(asc.uint8, P.VECIN, 512, 32)
    o = asc.LocalTensor(asc.float16, P.VECOUT, 544, 256)
    asc.data_copy(t, bind(x), 256)
    sync(E.MTE2_V)
    asc.compare_scalar(m, t, 0.0, asc.CMPMODE.GT, 128, 2, asc.UnaryRepeatParams(1, 1, 8, 8))
    asc.select(o, m, t, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, 128, 2, asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8))
    sync(E.V_MTE3)
    asc.data_copy(bind(z), o, 256)


x = np.random.default_rng(0).standard_normal(256).astype(np.float16)
z = np.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z, np.maximum(x, 0))

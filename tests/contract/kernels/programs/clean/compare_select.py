import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 128)
    u = asc.LocalTensor(F, P.VECIN, 512, 128)
    o = asc.LocalTensor(F, P.VECOUT, 1024, 128)
    m = asc.LocalTensor(asc.uint8, P.VECCALC, 1536, 32)
    asc.data_copy(t, bind(x), 128)
    asc.data_copy(u, bind(y), 128)
    sync(E.MTE2_V)
    asc.compare(m, t, u, asc.CMPMODE.LT, 128)
    asc.select(o, m, t, u, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, 128)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), o, 128)
    sync(E.MTE3_V)
    asc.compare_scalar(m, t, 0.5, asc.CMPMODE.GE, 128)
    asc.select(o, m, t, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, 128)
    sync(E.V_MTE3)
    asc.data_copy(bind(z)[128:], o, 128)


r = np.random.default_rng(0)
x = r.random(128, dtype=np.float32)
y = r.random(128, dtype=np.float32)
z = np.zeros(256, np.float32)
kernel[1, rt.current_stream()](x, y, z)
np.testing.assert_array_equal(z[:128], np.minimum(x, y))
np.testing.assert_array_equal(z[128:], np.where(x >= 0.5, x, 0))

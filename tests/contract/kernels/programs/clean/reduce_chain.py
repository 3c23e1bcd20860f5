import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 256)
    w = asc.LocalTensor(F, P.VECIN, 1024, 64)
    d = asc.LocalTensor(F, P.VECIN, 2048, 64)
    asc.data_copy(t, bind(x), 256)
    sync(E.MTE2_V)
    asc.reduce_sum(d, t, w, 256)
    asc.reduce_max(d[8:], t, w, 256, True)
    asc.reduce_min(d[16:], t, w, 256)
    asc.whole_reduce_sum(d[24:], t, 64, 4, 1, 1, 8)
    asc.block_reduce_max(d[32:], t, 4, 64, 1, 1, 8)
    sync(E.V_S)
    g = bind(z)
    g.set_value(0, d.get_value(0))
    g.set_value(1, d.get_value(8))
    g.set_value(2, d.get_value(16))
    g.set_value(3, d.get_value(24))
    g.set_value(4, d.get_value(32))
    i = d[8:].reinterpret_cast(asc.uint32).get_value(1)
    g.set_value(5, i)


x = np.random.default_rng(0).integers(0, 50, 256).astype(np.float32)
z = np.zeros(8, np.float32)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_array_equal(z[:6], [x.sum(), x.max(), x.min(), x[:64].sum(), x[:8].max(), x.argmax()])

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    asc.data_copy(t, bind(x), repeat_params=asc.DataCopyParams(4, 2, 1, 0))
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, repeat_params=asc.DataCopyParams(4, 2, 0, 1))


x = np.arange(88, dtype=np.float32)
z = np.zeros(88, np.float32)
kernel[1, rt.current_stream()](x, z)
for b in range(4):
    assert (z[b * 24 : b * 24 + 16] == x[b * 24 : b * 24 + 16]).all() and (z[b * 24 + 16 : b * 24 + 24] == 0).all()

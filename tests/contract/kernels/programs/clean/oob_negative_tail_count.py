import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z, n: int):
    xg = bind(x)
    zg = bind(z)
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    tail = n % N
    if tail > 0:
        asc.data_copy_pad(
            t, xg[n - tail :], asc.DataCopyExtParams(1, tail * 4, 0, 0, 0), asc.DataCopyPadExtParams(F, False, 0, 0, 0)
        )
        sync(E.MTE2_MTE3)
        asc.data_copy_pad(zg[n - tail :], t, asc.DataCopyExtParams(1, tail * 4, 0, 0, 0))


for n in (64, 65, 130, 131):
    x = np.arange(n, dtype=np.float32)
    z = np.zeros_like(x)
    kernel[1, rt.current_stream()](x, z, n)
    m = n % 64
    if m:
        np.testing.assert_array_equal(z[-m:], x[-m:])

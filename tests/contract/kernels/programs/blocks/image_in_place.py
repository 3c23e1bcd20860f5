# finds: ALIASING error UB V a
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, 4 * N)
    tmp = asc.LocalTensor(asc.uint8, P.VECCALC, 4096, 3072)
    asc.data_copy(t, bind(x), 4 * N)
    sync(E.MTE2_V)
    params = asc.TransposeParamsExt(1, 4, 8, 8, asc.TransposeType.TRANSPOSE_NCHW2NHWC)
    asc.transpose(t, t, tmp, params)  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 4 * N)


x, z = np.arange(4 * N, dtype=np.float32), np.zeros(4 * N, np.float32)
kernel[1, rt.current_stream()](x, z)

# finds: UB_OVERFLOW warning UB - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, N, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    bits = asc.LocalTensor(asc.uint8, P.VECCALC, 256, 32)
    out = asc.LocalTensor(F, P.VECOUT, 512, N)
    last = asc.LocalTensor(F, P.VECCALC, 188416, 32)  # <b>
    asc.data_copy(t, bind(x), N)
    asc.duplicate(last, 5.0, 32)
    sync(E.MTE2_V)
    asc.compare(bits, t, t, asc.CMPMODE.EQ, N)
    asc.select(out, bits, t, t, asc.SelMode.VSEL_CMPMASK_SPR, N)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), out, N)
    asc.data_copy(bind(z)[N:], last, 32)


z = np.zeros(N + 32, np.float32)
kernel[1, rt.current_stream()](np.full(N, 2, np.float32), z)
assert (z[:N] == 2).all() and (z[N:] == 5).all()

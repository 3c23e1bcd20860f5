# finds: UNINITIALIZED error UB MTE3 b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, P, bind, sync

H = asc.float16


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(H, P.VECIN, 0, 256)
    u = asc.LocalTensor(H, P.VECOUT, 1024, 256)
    asc.data_copy(t, bind(x), 240)
    sync(E.MTE2_V)
    sources = [
        t[0:],
        t[16:],
        t[32:],
        t[48:],
        t[64:],
        t[80:],
        t[96:],
        t[112:],
        t[128:],
        t[144:],
        t[160:],
        t[176:],
        t[192:],
        t[208:],
        t[224:],
        t[240:],
    ]
    targets = [
        u[0:],
        u[16:],
        u[32:],
        u[48:],
        u[64:],
        u[80:],
        u[96:],
        u[112:],
        u[128:],
        u[144:],
        u[160:],
        u[176:],
        u[192:],
        u[208:],
        u[224:],
        u[240:],
    ]
    asc.trans_data_to_5hd(targets, sources, asc.TransDataTo5HDParams())  # <a>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, 256)  # <b>


x, z = np.arange(256, dtype=np.float16), np.zeros(256, np.float16)
kernel[1, rt.current_stream()](x, z)

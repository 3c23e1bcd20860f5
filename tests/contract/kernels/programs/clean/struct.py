import asc
import asc.lib.runtime as rt
import numpy as np
from asc.language.core.dtype import KnownTypes as KT
from asc.language.core.struct import Field, Struct

from ..prelude import E, F, P, bind, sync


class Tiling(Struct):
    n = Field(KT.int32)
    s = Field(KT.float32, default=2.0)


@asc.jit
def kernel(x, z, tl):
    t = asc.LocalTensor(F, P.VECIN, 0, tl.n)
    asc.data_copy(t, bind(x), tl.n)
    sync(E.MTE2_V)
    asc.muls(t, t, tl.s, tl.n)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, tl.n)
    tl.n = 3


tl = Tiling(n=64)
x = np.ones(64, np.float32)
z = np.zeros(64, np.float32)
kernel[2 - 1, rt.current_stream()](x, z, tl)
assert (z == 2).all() and tl.n == 64

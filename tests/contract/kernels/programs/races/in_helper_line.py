# finds: RAW error UB MTE2>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, N, P, bind


@asc.jit
def ld(t, g):
    asc.data_copy(t, g, N)  # <a>


@asc.jit
def comp(t):
    asc.muls(t, t, 2.0, N)  # <b>


@asc.jit
def kernel(x):
    t = asc.LocalTensor(F, P.VECIN, 0, N)
    ld(t, bind(x))
    comp(t)


kernel[1, rt.current_stream()](np.ones(N, np.float32))

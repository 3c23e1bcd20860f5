import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, N, P, bind, sync


@asc.jit
def kernel(z, how: asc.ConstExpr[str]):
    t = asc.LocalTensor(z.dtype, P.VECIN, 0, N)
    asc.duplicate(t, asc.get_block_idx() + 1, N)
    sync(E.V_MTE3)
    if how == "add":
        asc.set_atomic_add(z.dtype)
    elif how == "max":
        asc.set_atomic_max(z.dtype)
    else:
        asc.set_atomic_min(z.dtype)
    asc.data_copy(bind(z), t, N)
    asc.set_atomic_none()


for dt in (np.float32, np.float16, np.int32, np.int16):
    for how, want in (("add", 12), ("max", 3), ("min", 1)):
        z = np.full(N, 6 if how == "add" else 2, dt)
        kernel[3, rt.current_stream()](z, how)
        assert (z == want).all(), (dt, how, z)

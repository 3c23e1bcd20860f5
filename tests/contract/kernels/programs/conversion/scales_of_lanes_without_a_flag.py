# finds: RAW error UB S>V a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, N, P, bind, sync


@asc.jit(auto_sync=False)
def kernel(x, z):
    t = asc.LocalTensor(asc.int16, P.VECIN, 0, N)
    u = asc.LocalTensor(asc.int8, P.VECOUT, 1024, 2 * N)
    words = asc.LocalTensor(asc.uint64, P.VECCALC, 2048, 16)
    asc.data_copy(t, bind(x), N)
    info = asc.VdeqInfo([2.0] * 16, [1] * 16, [True] * 16)
    asc.set_deq_scale(words, info)  # <a>
    sync(E.MTE2_V)
    asc.duplicate(u.reinterpret_cast(asc.int16), 0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.cast_deq(u, t, N)  # <b>
    sync(E.V_MTE3)
    asc.data_copy(bind(z), u, 2 * N)


x, z = np.arange(N, dtype=np.int16) - 32, np.zeros(2 * N, np.int8)
kernel[1, rt.current_stream()](x, z)

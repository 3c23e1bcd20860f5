# finds: UB_OVERFLOW error UB - a
# finds: UB_OVERFLOW warning UB - b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import N, P, bind


@asc.jit
def kernel(x, z):
    pipe = asc.TPipe()
    source, target = asc.TQue(P.VECIN, 1), asc.TQue(P.VECOUT, 1)
    rest = asc.TBuf(P.VECCALC)
    pipe.init_buffer(source, 1, 4 * N)
    pipe.init_buffer(target, 1, 4 * N)
    pipe.init_buffer(rest, 192 * 1024 - 8 * N - 256)  # <b>
    t = source.alloc_tensor(asc.float32)
    asc.data_copy(t, bind(x), N)
    source.enque(t)
    t, u = source.deque(asc.float32), target.alloc_tensor(asc.float32)
    asc.adv.asin(u, t, N)  # <a>
    target.enque(u)
    source.free_tensor(t)
    u = target.deque(asc.float32)
    asc.data_copy(bind(z), u, N)
    target.free_tensor(u)


x, z = np.linspace(-1, 1, N).astype(np.float32), np.zeros(N, np.float32)
kernel[1, rt.current_stream()](x, z)
np.testing.assert_allclose(z, np.arcsin(x), rtol=1e-6, atol=1e-7)

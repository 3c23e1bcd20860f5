# finds: RAW error UB MTE2>V a,b
# finds: RAW error UB V>MTE3 b,c
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P, bind


@asc.jit
def kernel(x, y):
    pipe = asc.TPipe()
    q = asc.TQueBind(P.VECIN, P.VECOUT, 1)
    pipe.init_buffer(q, 2, 512)
    for i in range(3):
        a = q.alloc_tensor(F)
        asc.data_copy(a, bind(x)[i * 128 :], 128)  # <a>
        q.enque(a)
        a = q.deque(F)
        asc.adds(a, a, 1.0, 128)  # <b>
        asc.data_copy(bind(y)[i * 128 :], a, 128)  # <c>
        q.free_tensor(a)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

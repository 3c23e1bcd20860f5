# finds: RAW error UB V>MTE3 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P, bind


@asc.jit
def kernel(x, y):
    pipe = asc.TPipe()
    q = asc.TQue(P.VECOUT, 1)
    pipe.init_buffer(q, 2, 512)
    a = q.alloc_tensor(F)
    asc.duplicate(a, 1.0, 128)  # <a>
    asc.data_copy(bind(y), a, 128)  # <b>
    q.free_tensor(a)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P, bind


@asc.jit
def kernel(x, y):
    pipe = asc.TPipe()
    qi = asc.TQue(P.VECIN, 2)
    qo = asc.TQue(P.VECOUT, 2)
    pipe.init_buffer(qi, 2, 512)
    pipe.init_buffer(qo, 2, 512)
    a = qi.alloc_tensor(F)
    asc.data_copy(a, bind(x), 128)
    qi.enque(a)
    for i in range(4):
        if i < 3:
            n = qi.alloc_tensor(F)
            asc.data_copy(n, bind(x)[(i + 1) * 128 :], 128)
            qi.enque(n)
        c = qi.deque(F)
        o = qo.alloc_tensor(F)
        asc.muls(o, c, 2.0, 128)
        qo.enque(o)
        qi.free_tensor(c)
        r = qo.deque(F)
        asc.data_copy(bind(y)[i * 128 :], r, 128)
        qo.free_tensor(r)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

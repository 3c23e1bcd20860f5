import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import F, P, bind


@asc.jit
def kernel(x, y):
    pipe = asc.TPipe()
    qi = asc.TQue(P.VECIN, 1)
    qo = asc.TQue(P.VECOUT, 1)
    pipe.init_buffer(qi, 1, 512)
    pipe.init_buffer(qo, 1, 512)
    for i in range(4):
        a = qi.alloc_tensor(F)
        asc.data_copy(a, bind(x)[i * 128 :], 128)
        qi.enque(a)
        a = qi.deque(F)
        o = qo.alloc_tensor(F)
        asc.muls(o, a, 2.0, 128)
        qo.enque(o)
        qi.free_tensor(a)
        o = qo.deque(F)
        asc.data_copy(bind(y)[i * 128 :], o, 128)
        qo.free_tensor(o)


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

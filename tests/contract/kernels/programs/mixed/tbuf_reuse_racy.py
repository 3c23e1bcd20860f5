# finds: WAR error UB MTE3>MTE2 a,b
import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y):
    pipe = asc.TPipe()
    b = asc.TBuf(P.VECCALC)
    pipe.init_buffer(buf=b, num=512)
    t = b.get(F)
    for i in range(3):
        asc.data_copy(t, bind(x)[i * 128 :], 128)  # <b>
        sync(E.MTE2_V)
        asc.adds(t, t, 1.0, 128)
        sync(E.V_MTE3)
        asc.data_copy(bind(y)[i * 128 :], t, 128)  # <a>


x = np.ones(1024, np.float32)
y = np.zeros(1024, np.float32)
kernel[1, rt.current_stream()](x, y)

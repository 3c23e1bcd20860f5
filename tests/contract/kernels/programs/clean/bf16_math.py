import asc
import asc.lib.runtime as rt
import torch

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, y, z):
    t = asc.LocalTensor(x.dtype, P.VECIN, 0, 128)
    u = asc.LocalTensor(x.dtype, P.VECIN, 256, 128)
    f = asc.LocalTensor(F, P.VECCALC, 1024, 128)
    g = asc.LocalTensor(F, P.VECCALC, 2048, 128)
    asc.data_copy(t, bind(x), 128)
    asc.data_copy(u, bind(y), 128)
    sync(E.MTE2_V)
    asc.cast(f, t, asc.RoundMode.CAST_NONE, 128)
    asc.muls(f, f, 1.01, 128)
    asc.cast(t, f, asc.RoundMode.CAST_RINT, 128)
    asc.cast(f, t, asc.RoundMode.CAST_NONE, 128)
    asc.cast(g, u, asc.RoundMode.CAST_NONE, 128)
    asc.add(f, f, g, 128)  # this chip adds no bfloat16
    asc.cast(t, f, asc.RoundMode.CAST_RINT, 128)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, 128)


x = torch.randn(128).bfloat16()
y = torch.randn(128).bfloat16()
z = torch.zeros_like(x)
kernel[1, rt.current_stream()](x, y, z)
assert torch.equal(z, (x.float() * 1.01).bfloat16() + y)

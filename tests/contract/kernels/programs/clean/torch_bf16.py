import asc
import asc.lib.runtime as rt
import torch

from ..prelude import E, P, bind, sync


@asc.jit
def kernel(x, z):
    t = asc.LocalTensor(x.dtype, P.VECIN, 0, 128)
    asc.data_copy(t, bind(x), 128)
    sync(E.MTE2_MTE3)
    asc.data_copy(bind(z), t, 128)


x = torch.randn(128).bfloat16()
z = torch.zeros_like(x)
kernel[1, rt.current_stream()](x, z)
assert torch.equal(x, z)

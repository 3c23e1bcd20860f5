import asc
import asc.lib.runtime as rt
import torch

from ..prelude import E, P, bind, sync


@asc.jit
def one(x, z, n: int):
    t = asc.LocalTensor(x.dtype, P.VECIN, 0, n)
    asc.data_copy(t, bind(x), n)
    sync(E.MTE2_V)
    asc.add(t, t, t, n)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), t, n)


@asc.jit
def two(x, n: asc.ConstExpr[int]):
    t = asc.LocalTensor(x.dtype, P.VECIN, 0, n)
    asc.data_copy(t, bind(x), n)
    sync(E.MTE2_V)
    for _ in asc.static_range(3):
        asc.adds(t, t, 1, n)
    sync(E.V_MTE3)
    asc.data_copy(bind(x), t, n)


for dt in (torch.float32, torch.float16, torch.int32, torch.int16):
    x = torch.arange(128).to(dt)
    z = torch.zeros(128, dtype=dt)
    one[1, rt.current_stream()](x, z, 128)
    two[1, rt.current_stream()](z, 128)
    assert (z == x * 2 + 3).all()

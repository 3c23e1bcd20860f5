from typing import Any

import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import E, F, P, bind, sync


@asc.jit
def kernel(x, z, mode: asc.ConstExpr):
    t = asc.LocalTensor(F, P.VECIN, 0, 64)
    i = asc.LocalTensor(asc.int32, P.VECCALC, 256, 64)
    asc.data_copy(t, bind(x), 64)
    sync(E.MTE2_V)
    asc.cast(i, t, mode, 64)
    sync(E.V_MTE3)
    asc.data_copy(bind(z), i, 64)


x = np.concatenate([np.arange(-16, 16) + 0.5, np.linspace(-9, 9, 32)]).astype(np.float32)
ROUNDINGS: list[tuple[Any, Any]] = [
    (asc.RoundMode.CAST_RINT, np.rint),
    (asc.RoundMode.CAST_FLOOR, np.floor),
    (asc.RoundMode.CAST_CEIL, np.ceil),
    (asc.RoundMode.CAST_TRUNC, np.trunc),
    (asc.RoundMode.CAST_ROUND, lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5)),
]
for mode, f in ROUNDINGS:
    z = np.zeros(64, np.int32)
    kernel[1, rt.current_stream()](x, z, mode)
    np.testing.assert_array_equal(z, f(x).astype(np.int32))

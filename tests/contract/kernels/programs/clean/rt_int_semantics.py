import asc
import asc.lib.runtime as rt
import numpy as np

from ..prelude import bind


@asc.jit
def kernel(z, n: int, m: int):
    g = bind(z)
    g.set_value(0, n / m)
    g.set_value(1, n // m)
    g.set_value(2, n % m)
    g.set_value(3, n.ceildiv(m))  # type: ignore[attr-defined]  # a run-time int of a kernel has it
    k = 0
    while k * k < n + 20:
        k += 1
    g.set_value(4, k)
    g.set_value(5, n if n > m else m)


z = np.zeros(8, np.int32)
kernel[1, rt.current_stream()](z, -7, 2)
assert list(z[:6]) == [-3, -3, -1, -3, 4, 2], z

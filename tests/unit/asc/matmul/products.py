"""Kernels with one Matmul object, and what their C should be."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cannery import asc
from cannery.watch import session

P, ND, NZ = asc.TPosition, asc.CubeFormat.ND, asc.CubeFormat.NZ
GM, UB = P.GM, P.VECCALC
WORKSPACE = 16 << 20


def tensor_of(address: Any) -> Any:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address)
    return tensor


def up(count: int, step: int) -> int:
    return -(-count // step) * step


def tiling_of(m: int, n: int, k: int, base: tuple[int, int, int], **fields: int) -> Any:
    return asc.adv.TCubeTiling(
        used_core_num=1, m=m, n=n, k_a=k, k_b=k, single_core_m=m, single_core_n=n, single_core_k=k, base_m=base[0],
        base_n=base[1], base_k=base[2], step_m=1, step_n=1, **fields,
    )  # fmt: skip


def kind(address: Any, position: Any = GM, **options: Any) -> Any:
    return asc.adv.MatmulType(position, options.pop("format", ND), address.dtype, **options)


Act = Callable[..., None]


@asc.jit(matmul_cube_only=True)
def on_cube(
    a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, bias: asc.GlobalAddress,
    workspace: asc.GlobalAddress, tiling: Any, types: asc.ConstExpr[Any], act: asc.ConstExpr[Any],
) -> None:  # fmt: skip
    matmul = asc.adv.Matmul(*types(a, b, c, bias))
    asc.adv.register_matmul(asc.TPipe(), workspace, matmul, tiling)
    act(matmul, tensor_of(a), tensor_of(b), tensor_of(c), tensor_of(bias))


@asc.jit
def mixed(
    a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, bias: asc.GlobalAddress,
    workspace: asc.GlobalAddress, tiling: Any, types: asc.ConstExpr[Any], act: asc.ConstExpr[Any],
) -> None:  # fmt: skip
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(*types(a, b, c, bias))
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    if asc.get_block_idx() == 0:
        act(matmul, tensor_of(a), tensor_of(b), tensor_of(c), tensor_of(bias))


def plain(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
    return kind(a), kind(b), kind(c), kind(bias)


def to_ub(a: Any, b: Any, c: Any, bias: Any) -> tuple[Any, ...]:
    return kind(a), kind(b), kind(c, UB), kind(bias)


def kinds_of(found: Any) -> set[str]:
    """What was found, but what pyasc's compiler refuses."""
    return {finding.kind for finding in found.findings()} - {"UNSUPPORTED_SYNTAX"}


def drawn(generator: Any, shape: tuple[int, ...], of: Any) -> Any:
    if np.issubdtype(of, np.integer):
        return generator.integers(-9, 9, shape).astype(of)
    return generator.uniform(-4, 4, shape).astype(of)


def run(
    act: Act, shape: tuple[int, int, int], base: tuple[int, int, int], *, of: Any = np.float16, out: Any = None,
    kernel: Any = on_cube, types: Any = plain, transposed: tuple[bool, bool] = (False, False), checked: bool = True,
    workspace: int = WORKSPACE, seed: int = 0, **fields: int,
) -> tuple[Any, Any, set[str]]:  # fmt: skip
    """C, what it should be, and the kinds of what was found."""
    m, n, k = shape
    sums = np.int32 if np.issubdtype(of, np.integer) else np.float32
    generator = np.random.default_rng(0)
    a, b, bias = drawn(generator, (m, k), of), drawn(generator, (k, n), of), drawn(generator, (n,), sums)
    wide = np.int64 if sums is np.int32 else np.float64
    expected = a.astype(wide) @ b.astype(wide)
    c = np.zeros((m, n), out or sums)
    given = [np.ascontiguousarray(x.T if turn else x) for x, turn in zip((a, b), transposed, strict=True)]
    with session(check=checked, seed=seed) as found:
        kernel[1](*given, c, bias, np.zeros(workspace, np.uint8), tiling_of(m, n, k, base, **fields), types, act)
    kinds = kinds_of(found)
    return c, expected + (bias if fields.get("is_bias") else 0), kinds


def near(found: Any, expected: Any, k: int) -> bool:
    return bool(np.abs(found - expected).max() <= 16 * (k + 1) ** 2 * 2.0**-24)


def staged(tensor: Any, count: int) -> Any:
    """A tensor in UB, loaded, and the vector pipe has waited for it."""
    buffer = asc.TBuf(P.VECCALC)
    asc.get_tpipe_ptr().init_buffer(buf=buffer, num=count * tensor.dtype.sizeof())
    local = buffer.get(tensor.dtype, count)
    asc.data_copy(local, tensor, count)
    for event in (asc.HardEvent.MTE2_V, asc.HardEvent.MTE2_MTE3):
        asc.set_flag(event, 0)
        asc.wait_flag(event, 0)
    return local


def everything(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
    matmul.set_tensor_a(a)
    matmul.set_tensor_b(b)
    matmul.iterate_all(c)
    matmul.end()

"""Where the matrices of a batch lie
(mirror-cann/asc-devkit docs, advanced API, Matmul, IterateBatch, @82b89a15f).

NORMAL: one matrix behind the other. The others are tensors of five dims that the tiling names: BSNGD [B, S, N, G, D]
and SBNGD [S, B, N, G, D], in which S and D are a matrix and the next one begins D elements further; BNGS1S2
[B, N, G, S1, S2], in which the matrices follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cannery.asc.context import here, running
from cannery.asc.matmul_config import MatmulConfig
from cannery.asc.tensors import GlobalTensor, LocalTensor, check_operands
from cannery.isa import matmul as machine
from cannery.isa.enums import IterateMode, LayoutMode
from cannery.isa.matmul import Batch
from cannery.isa.matmul_plan import Shape, atomic
from cannery.isa.tensors import Global

Layouts = tuple[LayoutMode, LayoutMode, LayoutMode]
Tensor = GlobalTensor | LocalTensor
_MATRICES: Final = (("a", "s", "d"), ("b", "s", "d"), ("c", "s1", "s2"))
"""Of A, B and C: the tiling's prefix, and its names of rows and columns."""


class Dims(NamedTuple):
    """The five dims of a tensor; ``s`` and ``d`` are the matrix."""

    b: int
    s: int
    n: int
    g: int
    d: int


_PITCHES: Final[Mapping[LayoutMode, Callable[[Dims], int]]] = MappingProxyType(
    {
        LayoutMode.BSNGD: lambda dims: dims.n * dims.g * dims.d,
        LayoutMode.SBNGD: lambda dims: dims.b * dims.n * dims.g * dims.d,
        LayoutMode.BNGS1S2: lambda dims: dims.d,
    }
)
"""From row to row."""


def _dims(tiling: Any, at: int) -> Dims:
    prefix, rows, columns = _MATRICES[at]
    return Dims(*(int(getattr(tiling, f"{prefix}_layout_info_{name}")) for name in ("b", rows, "n", "g", columns)))


def laid_out(layouts: Layouts, tiling: Any, transposed: tuple[bool, bool]) -> dict[str, int]:
    """The sizes of a shape that say how far it is from row to row, where a layout says otherwise; ``transposed``: A
    and B.
    """
    names = ("m" if transposed[0] else "ka", "kb" if transposed[1] else "n", "kc")
    return {
        name: _PITCHES[LayoutMode(layout)](_dims(tiling, at))
        for at, (name, layout) in enumerate(zip(names, layouts, strict=True))
        if layout != LayoutMode.NORMAL
    }


def batches(
    op: str, shape: Shape, layouts: Layouts, tiling: Any, numbers: tuple[int, int], strides: tuple[int, int, int],
    *, bias: bool, first: int = 0,
) -> list[Batch]:  # fmt: skip
    """The products of a batch. Of A and B the one with fewer matrices is used again and again; ``first``: how many
    such batches lie before it.

    Raises:
        ValueError: neither number is a multiple of the other.
    """
    few, many = sorted(numbers)
    if few < 1 or many % few:
        raise ValueError(f"{op}: found batch_a {numbers[0]} and batch_b {numbers[1]}, expected multiples, 1 or more")
    whole = (shape.m * shape.ka, shape.kb * shape.n, shape.m * shape.n)
    places = [
        _places(LayoutMode(layout), size, stride, None if layout == LayoutMode.NORMAL else _dims(tiling, at))
        for at, (layout, size, stride) in enumerate(zip(layouts, whole, strides, strict=True))
    ]
    columns = shape.n if layouts[2] == LayoutMode.NORMAL else _dims(tiling, 2).d
    per_a, per_b = (many // number for number in numbers)
    found = []
    for at in range(many):
        matrices = (first * numbers[0] + at // per_a, first * numbers[1] + at // per_b, first * many + at)
        a, b, c = (place(matrix) for place, matrix in zip(places, matrices, strict=True))
        found.append(Batch(a, b, c, matrices[2] * columns if bias else 0))
    return found


def _places(layout: LayoutMode, size: int, stride: int, dims: Dims | None) -> Callable[[int], int]:
    """Where a matrix begins, by its number."""
    if stride or dims is None:
        step = stride or size
        return lambda matrix: matrix * step
    if layout is LayoutMode.BNGS1S2:
        return lambda matrix: matrix * dims.s * dims.d
    heads = dims.n * dims.g
    outer = heads * dims.d * (dims.s if layout is LayoutMode.BSNGD else 1)
    return lambda matrix: matrix // heads * outer + matrix % heads * dims.d


class BatchMethods:
    """What a Matmul does with batches."""

    machine: machine.Matmul
    config: MatmulConfig
    _tiling: Any
    _batch: tuple[int, int]

    def _allow(self, option: str, method: str) -> None:
        if not getattr(self.config, option):
            raise ValueError(f"matmul.{method}: found {option} False in the MatmulConfig, expected True")

    def _allow_mode(self, mode: IterateMode, method: str) -> None:
        if not int(self.config.iterate_mode) & mode:
            raise ValueError(
                f"matmul.{method}: found iterate_mode {int(self.config.iterate_mode)} in the MatmulConfig, expected "
                f"{mode.name} in it"
            )

    def set_batch_num(self, batch_a: int, batch_b: int) -> None:
        """How many matrices the next iterate_batch without numbers takes."""
        self._batch = int(batch_a), int(batch_b)

    def iterate_batch(self, tensor: Tensor, *args: Any, **options: Any) -> None:
        """Compute a batch of products: ``batch_a, batch_b, en_sequential_write, matrix_stride_a=0,
        matrix_stride_b=0, matrix_stride_c=0, en_partial_sum=False, en_atomic=0, sync=True,
        wait_iterate_batch=None``; in a kernel of cube cores only ``en_partial_sum, en_atomic, en_sequential_write,
        matrix_stride_a=0, matrix_stride_b=0, matrix_stride_c=0, sync=True`` after set_batch_num.
        """
        self._allow_mode(IterateMode.ITERATE_MODE_BATCH, "iterate_batch")
        check_tensor("iterate_batch", tensor)
        if running().kind == "aic":
            self._batch_on_cube(tensor, *args, **options)
        else:
            self._batch_of(tensor, *args, **options)

    def _batch_on_cube(
        self, tensor: Tensor, en_partial_sum: bool, en_atomic: int, en_sequential_write: bool,
        matrix_stride_a: int = 0, matrix_stride_b: int = 0, matrix_stride_c: int = 0, sync: bool = True,
    ) -> None:  # fmt: skip
        if not isinstance(tensor, GlobalTensor):
            raise TypeError("matmul.iterate_batch: found a LocalTensor on a cube core, expected a GlobalTensor")
        del sync
        strides = (int(matrix_stride_a), int(matrix_stride_b), int(matrix_stride_c))
        self._run_batch(tensor, self._batch, strides, en_partial_sum, en_atomic, en_sequential_write, True, False)

    def _batch_of(
        self, tensor: Tensor, batch_a: int, batch_b: int, en_sequential_write: bool, matrix_stride_a: int = 0,
        matrix_stride_b: int = 0, matrix_stride_c: int = 0, en_partial_sum: bool = False, en_atomic: int = 0,
        sync: bool = True, wait_iterate_batch: bool | None = None,
    ) -> None:  # fmt: skip
        op = "matmul.iterate_batch"
        if wait_iterate_batch and sync:
            raise ValueError(f"{op}: wait_iterate_batch: found True with sync, expected sync=False")
        if bool(en_sequential_write) != isinstance(tensor, LocalTensor):
            raise ValueError(
                f"{op}: en_sequential_write: found {bool(en_sequential_write)}, expected False with a GlobalTensor, "
                "True with a LocalTensor"
            )
        strides = (int(matrix_stride_a), int(matrix_stride_b), int(matrix_stride_c))
        numbers = int(batch_a), int(batch_b)
        self._run_batch(
            tensor, numbers, strides, en_partial_sum, en_atomic, en_sequential_write, sync, bool(wait_iterate_batch)
        )

    def _run_batch(
        self, tensor: Tensor, numbers: tuple[int, int], strides: tuple[int, int, int], adds: bool, en_atomic: int,
        packed: bool, waits: bool, notifies: bool,
    ) -> None:  # fmt: skip
        op, soc = "matmul.iterate_batch", running().soc.name
        if adds:
            raise NotImplementedError(f"{op} with en_partial_sum on {soc} is not simulated")
        found = self._found(op, numbers, strides, 0)
        pitches = self._pitches(op)
        self.machine.batch(
            here(), op, tensor, found, pitches, atomic=atomic(op, en_atomic), packed=bool(packed), waits=bool(waits),
            notifies=notifies,
        )  # fmt: skip

    def _layouts(self, op: str) -> Layouts:
        types = self.machine.types
        layouts = (types.a.layout, types.b.layout, types.c.layout)
        if LayoutMode.NONE in layouts:
            raise ValueError(f"{op}: found a MatmulType with LayoutMode.NONE, expected a layout of batches")
        return layouts

    def _found(self, op: str, numbers: tuple[int, int], strides: tuple[int, int, int], first: int) -> list[Batch]:
        bias = bool(self.config.is_bias_batch)
        layouts = self._layouts(op)
        return batches(op, self.machine.shape, layouts, self._tiling, numbers, strides, bias=bias, first=first)

    def _pitches(self, op: str) -> dict[str, int]:
        return laid_out(self._layouts(op), self._tiling, self.machine.transposed)

    def wait_iterate_batch(self) -> None:
        """Wait for iterate_batch(sync=False, wait_iterate_batch=True)."""
        self.machine.wait(here(), "matmul.wait_iterate_batch")

    def iterate_n_batch(
        self, batch_loop: int, batch_a: int, batch_b: int, en_sequential_write: bool, matrix_stride_a: int = 0,
        matrix_stride_b: int = 0, matrix_stride_c: int = 0, sync: bool = True, wait_iterate_batch: bool = False,
    ) -> None:  # fmt: skip
        """Compute several batches, one behind the other, into the workspace of set_workspace.

        Raises:
            ValueError: a configuration without is_n_batch, or no workspace.
        """
        op = "matmul.iterate_n_batch"
        self._allow("is_n_batch", "iterate_n_batch")
        self._allow_mode(IterateMode.ITERATE_MODE_N_BATCH, "iterate_n_batch")
        strides = (int(matrix_stride_a), int(matrix_stride_b), int(matrix_stride_c))
        numbers = int(batch_a), int(batch_b)
        rounds = [self._found(op, numbers, strides, at) for at in range(int(batch_loop))]
        self.machine.batches(
            here(), op, rounds, self._pitches(op), packed=bool(en_sequential_write), waits=bool(sync),
            notifies=bool(wait_iterate_batch),
        )  # fmt: skip

    def get_batch_tensor_c(self, *args: Any, **options: Any) -> Any:
        """The next batch of iterate_n_batch(sync=False): ``batch_a, batch_b, en_sequential_write=False, sync=False``,
        where it lies in the workspace; or ``tensor`` before them, to be copied to UB.

        Raises:
            ValueError: sync.
        """
        if isinstance(args[0] if args else options.get("tensor"), LocalTensor):
            self._copy_batch(*args, **options)
            return None
        return self._next_batch(*args, **options)

    def _next_batch(self, batch_a: int, batch_b: int, en_sequential_write: bool = False, sync: bool = False) -> Any:
        op = "matmul.get_batch_tensor_c"
        del en_sequential_write
        if sync:
            raise ValueError(f"{op}: sync: found True, expected False")
        size = max(int(batch_a), int(batch_b)) * self.machine.shape.single_m * self.machine.shape.single_n
        return as_tensor(self.machine.next_cached(here(), op, size), size)

    def _copy_batch(
        self, tensor: LocalTensor, batch_a: int, batch_b: int, en_sequential_write: bool = False, sync: bool = False
    ) -> None:
        check_tensor("get_batch_tensor_c", tensor)
        found = self._next_batch(batch_a, batch_b, en_sequential_write, sync)
        self.machine.copy(here(), "matmul.get_batch_tensor_c", tensor, found)


def check_tensor(method: str, tensor: Any) -> None:
    check_operands(f"matmul.{method}", {"tensor": tensor}, Global if isinstance(tensor, GlobalTensor) else LocalTensor)


def as_tensor(found: Global, size: int) -> GlobalTensor:
    tensor = GlobalTensor()
    tensor.owner, tensor.address, tensor.dtype, tensor.size = found.owner, found.address, found.dtype, size
    return tensor

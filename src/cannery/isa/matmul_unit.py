"""What a Matmul object does on a cube core: blocks of C, from global memory through L1 and L0 to where they are wanted
(mirror-cann/asc-devkit `impl/adv_api/detail/matmul` @82b89a15f263).

Everything is an instruction of its own, issued with the line of the user's call; events of its own order them. The
object has L1 to itself; L0A, L0B, L0C and the bias table are all objects' in turn.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.memory import capacity
from cannery.aicore.pipes import FIX, MTE1, MTE2, M
from cannery.isa import cube_fixpipe, cube_mmad
from cannery.isa import matmul_loads as loads
from cannery.isa.cube_fixpipe import Drain
from cannery.isa.cube_mmad import Product
from cannery.isa.dtypes import uint64
from cannery.isa.enums import CO2Layout, CubeFormat, TPosition
from cannery.isa.fractal import FRACTAL, ROW, SIDE
from cannery.isa.matmul_plan import CONVERSIONS, Block, Outlet, Shape, Source, Step, Task, Types
from cannery.isa.matmul_rings import Ring, Slot
from cannery.isa.space import Space, occupy
from cannery.isa.table import TABLE
from cannery.isa.tensors import Global

_P = TPosition
_MMAD: Final = TABLE["mmad"]
_FIXPIPE: Final = TABLE["fixpipe"]
_TWICE: Final = 2
"""Buffers of a memory where it has room for them."""


class Sizes(NamedTuple):
    """Bytes of a buffer in each place."""

    a1: int
    b1: int
    bias1: int
    words1: int
    a2: int
    b2: int
    bias2: int
    c: int

    @classmethod
    def of(cls, types: Types, shape: Shape) -> Sizes:
        """For blocks of a shape."""
        kind, m, n, k = types.a.dtype, shape.base_m, shape.base_n, shape.base_k
        bias = loads.up(n * 4, 64)
        return cls(
            loads.up(loads.bytes_in_l1(m, k, kind), FRACTAL), loads.up(loads.bytes_in_l1(k, n, kind), FRACTAL),
            loads.up(bias, FRACTAL), loads.up(n * 8, FRACTAL), loads.bytes_in_l0(m, k, kind),
            loads.bytes_in_l0(n, k, kind), bias, m * n * 4,
        )  # fmt: skip


class Unit:
    """The buffers of one object on one cube core, and what is computed in them."""

    def __init__(self, core: Core, site: Site | None, types: Types, shape: Shape) -> None:
        self.core = core
        self.types = types
        self.sizes = sizes = Sizes.of(types, shape)
        lower = self._reserve(site, _TWICE * (sizes.a1 + sizes.b1) + sizes.bias1 + sizes.words1)
        self._a1 = Ring(core, _P.A1, lower, sizes.a1, _TWICE, (MTE2, MTE1))
        lower += _TWICE * sizes.a1
        self._b1 = Ring(core, _P.B1, lower, sizes.b1, _TWICE, (MTE2, MTE1))
        lower += _TWICE * sizes.b1
        self._bias1 = Ring(core, _P.C1, lower, sizes.bias1, 1, (MTE2, MTE1))
        self._words1 = Ring(core, _P.A1, lower + sizes.bias1, sizes.words1, 1, (MTE2, FIX))
        self._a2 = self._shared(site, _P.A2, "L0A", sizes.a2, (MTE1, M))
        self._b2 = self._shared(site, _P.B2, "L0B", sizes.b2, (MTE1, M))
        self._bias2 = self._shared(site, _P.C2, "BT", sizes.bias2, (MTE1, M))
        self._c = self._shared(site, _P.CO1, "L0C", sizes.c, (M, FIX))
        self._block: Slot | None = None

    def run(self, step: Step, site: Site | None) -> None:
        """Compute a block, or let one go."""
        if step.computes:
            self._compute(step.task, step.block, site, adds=step.adds)
        if step.outlet is not None:
            self._drain(step.task, step.block, step.outlet, site)

    def _reserve(self, site: Site | None, size: int) -> int:
        space: Space = self.core.state.get(Space) or Space(self.core)
        lower = loads.up(space.end_of("L1"), FRACTAL)
        space.reserve("L1", lower - space.end_of("L1") + size)
        space.hold(site, "L1", lower, size, f"Matmul: {size}")
        return lower

    def _shared(self, site: Site | None, position: TPosition, memory: str, size: int, ends: tuple[int, int]) -> Ring:
        """Buffers at the start of a memory; too large ones are a finding."""
        room = capacity(self.core.soc, memory)
        number = _TWICE if _TWICE * size <= room else 1
        occupy(self.core, site, memory, number * size, room, "Matmul", [("Matmul", number * size)])
        return Ring(self.core, position, 0, size, number, ends)

    def _compute(self, task: Task, block: Block, site: Site | None, *, adds: bool) -> None:
        """Products along K; what L0C holds of a block that nobody took is given up."""
        target = self._block if self._block is not None else self._c.fill(site)
        self._block = target
        bias = None if adds or task.bias is None else self._bias(task, block, task.bias, site)
        for start, depth in task.shape.depths():
            beginning = bias if start == 0 else None
            self._product(task, block, (start, depth), target, beginning, site, adds=adds or start > 0)
        if bias is not None:
            self._bias2.give_back(bias, site)

    def _bias(self, task: Task, block: Block, tensor: Global, site: Site | None) -> Slot:
        count = task.shape.extent(block)[1]
        near, table = self._bias1.fill(site), self._bias2.fill(site)
        loads.row_to_l1(self.core, site, near, loads.behind(tensor, block.column * task.shape.base_n), count)
        self._bias1.hand_over(near, site)
        loads.to_table(self.core, site, table, near, count, tensor.dtype)
        self._bias1.give_back(near, site)
        self._bias2.hand_over(table, site)
        return table

    def _product(
        self, task: Task, block: Block, deep: tuple[int, int], target: Slot, bias: Slot | None, site: Site | None,
        *, adds: bool,
    ) -> None:  # fmt: skip
        (m, n), (start, depth), shape = task.shape.extent(block), deep, task.shape
        kind = self.types.a.dtype
        row, column = block.row * shape.base_m, block.column * shape.base_n
        a2, b2 = self._a2.fill(site), self._b2.fill(site)
        part, whole = _stored(task.a, (m, depth), (shape.m, shape.ka))
        a1 = self._near(self._a1, task.a, part, _start(task.a, (row, start)), whole, self.types.a.format, site)
        loads.to_l0a(self.core, site, a2, a1, part, kind)
        self._a1.give_back(a1, site)
        self._a2.hand_over(a2, site)
        part, whole = _stored(task.b, (depth, n), (shape.kb, shape.n))
        b1 = self._near(self._b1, task.b, part, _start(task.b, (start, column)), whole, self.types.b.format, site)
        loads.to_l0b(self.core, site, b2, b1, part, kind)
        self._b1.give_back(b1, site)
        self._b2.hand_over(b2, site)
        product = Product(m, n, depth, adds, gemv=False)
        if adds and not product.interlocked:
            self.core.barrier(M, None)
        self._multiply(task, (target, a2, b2, bias), product, site)
        self._a2.give_back(a2, site)
        self._b2.give_back(b2, site)

    def _near(
        self, ring: Ring, source: Source, part: loads.Part, start: tuple[int, int], whole: tuple[int, int],
        stored: CubeFormat, site: Site | None,
    ) -> Slot:  # fmt: skip
        """A part of a matrix in L1."""
        slot = ring.fill(site)
        if source.tensor is None:
            loads.fill_l1(self.core, site, slot, part, self.types.a.dtype, source.number)
        else:
            loads.to_l1(self.core, site, slot, source.tensor, part, start, stored, whole)
        ring.hand_over(slot, site)
        return slot

    def _multiply(
        self, task: Task, slots: tuple[Slot, Slot, Slot, Slot | None], product: Product, site: Site | None
    ) -> None:
        target, a2, b2, table = slots
        kind, sums, registers = self.types.a.dtype, self.types.sums, self.core.registers
        before = registers.hf32, registers.hf32_toward_zero
        registers.hf32, registers.hf32_toward_zero = task.hf32 is not None, bool(task.hf32)
        bias = None if table is None else table.tensor(sums)
        try:
            cube_mmad.mmad(self.core, site, _MMAD, target.tensor(sums), a2.tensor(kind), b2.tensor(kind), product, bias)
        finally:
            registers.hf32, registers.hf32_toward_zero = before

    def _drain(self, task: Task, block: Block, outlet: Outlet, site: Site | None) -> None:
        """Let the block in L0C go, converted on the way."""
        slot = self._block
        if slot is None:
            return
        self._block = None
        self._c.hand_over(slot, site)
        words = self._words(task, block, site)
        registers = self.core.registers
        before = registers.atomic_op, registers.atomic_dtype
        registers.atomic_op, registers.atomic_dtype = outlet.atomic, outlet.tensor.dtype
        try:
            drain, dst = self._leaving(task, block, outlet)
            workspace = None if words is None else words.tensor(uint64)
            cube_fixpipe.fixpipe(self.core, site, _FIXPIPE, dst, slot.tensor(self.types.sums), drain, workspace)
        finally:
            registers.atomic_op, registers.atomic_dtype = before
        if words is not None:
            self._words1.give_back(words, site)
        self._c.give_back(slot, site)

    def _words(self, task: Task, block: Block, site: Site | None) -> Slot | None:
        """The quantisation words of a block's columns, in L1."""
        words = task.quantisation.words
        if words is None or CONVERSIONS[self.types.sums][self.types.c.dtype].words is None:
            return None
        slot = self._words1.fill(site)
        count = task.shape.extent(block)[1]
        loads.row_to_l1(self.core, site, slot, loads.behind(words, block.column * task.shape.base_n), count)
        self._words1.hand_over(slot, site)
        return slot

    def _leaving(self, task: Task, block: Block, outlet: Outlet) -> tuple[Drain, Global]:
        (m, n), shape, kind = task.shape.extent(block), task.shape, outlet.tensor.dtype
        row, column = block.row * shape.base_m, block.column * shape.base_n
        mode = task.quantisation.mode("matmul", self.types)
        word = task.quantisation.word or 0
        if self.types.c.format is CubeFormat.ND:
            offset, pitch = (0, n) if outlet.packed else (row * shape.kc + column, shape.kc)
            drain = Drain(n, m, loads.up(m, SIDE), pitch, mode, word)
            return drain, loads.behind(outlet.tensor, offset)
        group = 8 if self.types.split else ROW if kind.size == 1 else SIDE
        rows = loads.up(m if outlet.packed else shape.m, SIDE)
        offset = 0 if outlet.packed else column * rows + row * group
        drain = Drain(
            loads.up(n, 8 if self.types.split else SIDE), m, loads.up(m, SIDE), rows * group * kind.size // ROW, mode,
            word, split=self.types.split, layout=CO2Layout.NZ,
        )  # fmt: skip
        return drain, loads.behind(outlet.tensor, offset)


def _stored(source: Source, part: tuple[int, int], whole: tuple[int, int]) -> tuple[loads.Part, tuple[int, int]]:
    """A part of A or B, and all of it, as they are stored."""
    if source.transposed:
        return loads.Part(part[1], part[0], turned=True), whole[::-1]
    return loads.Part(*part, turned=False), whole


def _start(source: Source, start: tuple[int, int]) -> tuple[int, int]:
    return start[::-1] if source.transposed else start

"""What a Matmul object is to compute: types, shapes, blocks and their order, and what leaves L0C how
(mirror-cann/asc-devkit docs, advanced API, Matmul, and `impl/adv_api/detail/matmul/scheduler` @82b89a15f).

The object computes a part of C: ``single`` rows and columns of it, in blocks of ``base``. Its tensors begin where the
part begins; from one row to the next it is as far as in the whole matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cannery.isa import dtypes as d
from cannery.isa.dtypes import DataType
from cannery.isa.enums import MEMORY, CubeFormat, LayoutMode, QuantModes, TPosition
from cannery.isa.fractal import SIDE, ceil
from cannery.isa.tensors import Global

_Q = QuantModes
_BYTES: Final = frozenset({d.int8})
_FLOATS: Final = frozenset({d.float16, d.float32, d.bfloat16})


@dataclass(frozen=True)
class MatmulType:
    """Where an operand lies, and how.

    ``is_trans``: it may be given transposed. ``layout``: how the matrices of a batch lie.
    """

    position: TPosition
    format: CubeFormat
    dtype: DataType
    is_trans: bool = False
    layout: LayoutMode = LayoutMode.NONE

    @property
    def memory(self) -> str:
        """The memory of its position."""
        return MEMORY[self.position]


@dataclass(frozen=True)
class Types:
    """The operands of an object; ``split``: float32 leaves in blocks of 16 × 8, where C is NZ."""

    a: MatmulType
    b: MatmulType
    c: MatmulType
    bias: MatmulType
    split: bool = False

    @property
    def sums(self) -> DataType:
        """The element type in L0C."""
        return d.int32 if self.a.dtype in _BYTES else d.float32

    def check(self, op: str) -> None:
        """Refuse element types that do not go together.

        Raises:
            TypeError: they do not.
        """
        if self.a.dtype is not self.b.dtype or self.a.dtype not in _BYTES | _FLOATS:
            raise TypeError(f"{op}: found A of {self.a.dtype} and B of {self.b.dtype}, expected one type of both")
        if self.c.dtype not in CONVERSIONS[self.sums]:
            allowed = " or ".join(sorted(map(str, CONVERSIONS[self.sums])))
            raise TypeError(f"{op}: found C of {self.c.dtype} with A of {self.a.dtype}, expected {allowed}")


class Conversion(NamedTuple):
    """How numbers leave L0C: as they are or rounded (``plain``), by one word, by one word a column; None: not so."""

    plain: QuantModes | None
    word: QuantModes | None = None
    words: QuantModes | None = None


CONVERSIONS: Final[Mapping[DataType, Mapping[DataType, Conversion]]] = MappingProxyType(
    {
        d.float32: MappingProxyType(
            {
                d.float32: Conversion(_Q.NoQuant),
                d.float16: Conversion(_Q.F322F16),
                d.bfloat16: Conversion(_Q.F322BF16),
                d.int8: Conversion(None, _Q.QF322B8_PRE, _Q.VQF322B8_PRE),
                d.uint8: Conversion(None, _Q.QF322B8_PRE, _Q.VQF322B8_PRE),
            }
        ),
        d.int32: MappingProxyType(
            {
                d.int32: Conversion(_Q.NoQuant),
                d.float16: Conversion(None, _Q.DEQF16, _Q.VDEQF16),
                d.int8: Conversion(None, _Q.REQ8, _Q.VREQ8),
                d.uint8: Conversion(None, _Q.REQ8, _Q.VREQ8),
            }
        ),
    }
)
"""By element type in L0C and of C."""


@dataclass(frozen=True)
class Quantisation:
    """The words by which numbers are converted: one, or one for each column of the object's part; None: not given."""

    word: int | None = None
    words: Global | None = None

    def mode(self, op: str, types: Types) -> QuantModes:
        """The conversion of C's type.

        Raises:
            ValueError: it needs a word and none was given.
        """
        conversion = CONVERSIONS[types.sums][types.c.dtype]
        if conversion.plain is not None:
            return conversion.plain
        mode = conversion.words if self.words is not None else conversion.word if self.word is not None else None
        if mode is None:
            raise ValueError(
                f"{op}: found C of {types.c.dtype} with A of {types.a.dtype} and no quantisation word, expected "
                "set_quant_scalar or set_quant_vector before"
            )
        return mode


@dataclass(frozen=True)
class Shape:
    """Rows, columns and depth: of the whole matrices, of the object's part, of a block.

    Attributes:
        m, n, ka, kb, kc: of the whole; they say how far it is from row to row. ``kc``: of C's rows.
        step_m, step_n: blocks that are worked on together before the walk goes on.
        rows_first: the walk goes along a row of blocks first, not down a column.
    """

    m: int
    n: int
    ka: int
    kb: int
    kc: int
    single_m: int
    single_n: int
    single_k: int
    base_m: int
    base_n: int
    base_k: int
    step_m: int = 1
    step_n: int = 1
    rows_first: bool = False

    def check(self, op: str) -> None:
        """Refuse sizes that make no blocks.

        Raises:
            ValueError: one is not positive, or a block is not made of whole fractals.
        """
        for name in ("single_m", "single_n", "single_k", "base_m", "base_n", "base_k"):
            if getattr(self, name) <= 0:
                field = name.replace("single", "single_core")
                raise ValueError(f"{op}: {field}: found {getattr(self, name)}, expected 1 or more")
        for name in ("base_m", "base_n"):
            if getattr(self, name) % SIDE:
                raise ValueError(f"{op}: {name}: found {getattr(self, name)}, expected a multiple of {SIDE}")

    def having(self, sizes: Mapping[str, int]) -> Shape:
        """The shape with other sizes, by name."""
        given: dict[str, Any] = dict(sizes)
        return replace(self, **given)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of blocks."""
        return ceil(self.single_m, self.base_m), ceil(self.single_n, self.base_n)

    def blocks(self) -> Iterator[Block]:
        """The blocks in the order in which they are computed."""
        rows, columns = self.grid
        if self.rows_first:
            for column, row in _walk(columns, rows, self.step_m):
                yield Block(row, column)
        else:
            for row, column in _walk(rows, columns, self.step_n):
                yield Block(row, column)

    def extent(self, block: Block) -> tuple[int, int]:
        """Rows and columns of a block; the last ones may have fewer."""
        height = min(self.base_m, self.single_m - block.row * self.base_m)
        return height, min(self.base_n, self.single_n - block.column * self.base_n)

    def depths(self) -> Iterator[tuple[int, int]]:
        """Where each step along K begins, and how deep it is."""
        for start in range(0, self.single_k, self.base_k):
            yield start, min(self.base_k, self.single_k - start)


class Block(NamedTuple):
    """A block of C, counted in blocks."""

    row: int
    column: int


def _walk(inner: int, outer: int, step: int) -> Iterator[tuple[int, int]]:
    """Groups of ``step`` of the outer; in a group along the inner; at each of it all of the group."""
    for group in range(0, outer, max(1, step)):
        for along in range(inner):
            for at in range(group, min(outer, group + max(1, step))):
                yield along, at


@dataclass(frozen=True)
class Source:
    """A or B as the object is given it: its part's first element; None: it is filled with ``number``."""

    tensor: Global | None
    transposed: bool = False
    number: float = 0

    def behind(self, offset: int) -> Source:
        """The same from an element on."""
        if self.tensor is None:
            return self
        tensor = self.tensor
        return replace(self, tensor=Global(tensor.owner, tensor.address + offset * tensor.dtype.size, tensor.dtype))


@dataclass(frozen=True)
class Task:
    """A product: operands, shape and conversion. ``hf32``: float32 is rounded to HF32 before, None: it is not;
    True: half toward zero.
    """

    types: Types
    shape: Shape
    a: Source
    b: Source
    bias: Global | None = None
    quantisation: Quantisation = Quantisation()
    hf32: bool | None = None


@dataclass(frozen=True)
class Outlet:
    """Where a block goes.

    ``packed``: it lies alone, its rows one after the other; otherwise it goes to its place in C, which begins at
    ``tensor``. ``atomic``: "add", "max" or "min" with what is there.
    """

    tensor: Global
    packed: bool = False
    atomic: str | None = None


@dataclass(frozen=True)
class Step:
    """Something that the cube does for an object.

    ``computes``: the block is computed; with ``adds`` on top of what L0C holds. ``notifies``: the one who asked is told
    when it is done.
    """

    task: Task
    block: Block
    computes: bool = True
    adds: bool = False
    outlet: Outlet | None = None
    notifies: bool = False


ATOMIC: Final[Mapping[int, str | None]] = MappingProxyType({0: None, 1: "add", 2: "max", 3: "min"})


def atomic(op: str, number: Any) -> str | None:
    """The operation by its number.

    Raises:
        ValueError: there is no such.
    """
    if int(number) not in ATOMIC:
        raise ValueError(f"{op}: en_atomic: found {int(number)}, expected 0, 1, 2 or 3")
    return ATOMIC[int(number)]

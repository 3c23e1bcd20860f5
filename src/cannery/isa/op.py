"""What the table of instructions says about one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from cannery.aicore.core import Core
from cannery.aicore.instruction import LANES
from cannery.aicore.pipes import V
from cannery.isa.dtypes import DataType

Column = TypeVar("Column")
Signature = tuple[DataType, ...]
"""Element types of operands, the destination's first."""
Route = tuple[str, str]
"""Destination and source memory of a copy."""
Range = tuple[int, int]
"""Smallest and largest value."""

Temporary = Callable[[int, DataType, bool], int]
"""Bytes of a temporary buffer, from a number of elements, their type, and whether the source may be overwritten."""

Modes = Mapping[Signature, frozenset[int]]

DAV_2201: Final = 2201
DAV_3510: Final = 3510
SCALAR: Final = "scalar"
"""The operand that is a number; all others are tensors."""
NUMBER: Final = "a number"
"""Where something comes from that lies in no memory."""
REPEAT_TIMES: Final = "repeat_times"
BLK_STRIDE: Final = "blk_stride"
REP_STRIDE: Final = "rep_stride"
_NARROWEST: Final = 255  # every stride field holds up to this


class ByArch(dict[int, Column]):
    """A column by NpuArch. An architecture without one of its own has that of dav-2201."""

    def __missing__(self, arch: int) -> Column:
        return self[DAV_2201]


def on_both(column: Column) -> ByArch[Column]:
    """The same on dav-2201 and dav-3510."""
    return ByArch({DAV_2201: column, DAV_3510: column})


class Types:
    """The element types that an instruction has, and with which modes (of rounding, of comparison).

    Attributes:
        modes: the modes of each combination of types; no mode where the instruction has none.
        counted: those that only the form with a count of elements has.
        uniform: all operands of a call have one type.
    """

    __slots__ = ("counted", "modes", "uniform")

    def __init__(self, modes: Modes, counted: Modes = MappingProxyType({})) -> None:
        self.modes = MappingProxyType({**modes, **counted})
        self.counted = frozenset(counted)
        self.uniform = all(len(set(signature)) == 1 for signature in self.modes)

    def refusal(self, found: Signature) -> str:
        """What is wrong with a combination that is not among them."""
        if found in self.modes:
            return f"found {found[-1]} with a mask and repeats, expected the form with a count"
        other = next((dtype for dtype in found if dtype != found[0]), None)
        if self.uniform and other is not None:
            return f"found operands of {found[0]} and {other}, expected one element type"
        if not self.uniform:
            allowed = (_described(signature) for signature in self.modes if len(signature) == len(found))
            return f"found {_described(found)}, expected one of {', '.join(sorted(allowed))}"
        return f"found {found[-1]}, expected one of {', '.join(sorted({str(one[-1]) for one in self.modes}))}"


def _described(signature: Signature) -> str:
    first, *others = signature
    return f"{first} from {' and '.join(map(str, others))}" if others else str(first)


def one_type(
    width: int, types: Iterable[DataType], modes: frozenset[int] = frozenset(), *, counted: Iterable[DataType] = ()
) -> Types:
    """All of ``width`` operands have the same one of ``types``, or of ``counted`` in the form with a count."""
    everywhere, count_only = ({(dtype,) * width: modes for dtype in which} for which in (types, counted))
    return Types(everywhere, count_only)


class Align(NamedTuple):
    """What the destination's start must be a multiple of: bytes, or ``elements`` where that is not 0."""

    bytes: int = 32
    elements: int = 0

    def of(self, dtype: DataType) -> int:
        """In bytes, for an element type."""
        return self.elements * dtype.size or self.bytes


WHOLE_BLOCKS: Final = Align()
REPEATS: Final[ByArch[Mapping[str, Range]]] = on_both(MappingProxyType({REPEAT_TIMES: (0, 255)}))


NOWHERE: Final[ByArch[Mapping[Route, int]]] = on_both(MappingProxyType({}))
"""The routes of what is no copy between memories."""


def as_it_is(values: Any) -> Any:
    """The function of instructions that only move elements."""
    return values


class Op(NamedTuple):
    """One instruction: a row of the table.

    Attributes:
        name: in snake case, e.g. "add_relu"; each language spells it its own way.
        form: the family of calls it belongs to, e.g. "lanewise"; a language has one reader of arguments for each.
        operands: their names in the order of a call, the destination first; "scalar" is a number.
        compute: the function on arrays at its heart.
        types: element types by architecture; None: any.
        pipe: what executes it; None: decided by ``routes``.
        routes: the pipe by destination and source memory, by architecture.
        flow: how never-written bytes travel through it.
        align: what the start of its destination must be a multiple of.
        limits: smallest and largest value of a field, by architecture.
        amounts: the same of the scalar, by the element's bytes; none: any value.
        page: where types and limits stand: a page of hicann/asc-devkit `docs/zh/api/SIMD-API/基础API` @82b89a15f263.
        reads_dst: the old destination is an operand as well, the last one.
        cost: its class in the cost model.
        targets: how many of its operands, the first ones, are destinations.
        apart: destinations and sources must not share any byte, not even all of them.
        temporary: bytes of its temporary buffer, from elements, their type, and whether its source may be overwritten.
    """

    name: str
    form: str
    operands: tuple[str, ...]
    compute: Callable[..., Any] = as_it_is
    types: ByArch[Types] | None = None
    pipe: int | None = V
    routes: ByArch[Mapping[Route, int]] = NOWHERE
    flow: str = LANES
    align: Align = WHOLE_BLOCKS
    limits: ByArch[Mapping[str, Range]] = REPEATS
    amounts: ByArch[Mapping[int, Range]] | None = None
    page: str = ""
    reads_dst: bool = False
    cost: str = ""
    targets: int = 1
    apart: bool = False
    temporary: ByArch[Temporary] | None = None

    @property
    def tensors(self) -> tuple[str, ...]:
        """The operands that are tensors."""
        return tuple(name for name in self.operands if name != SCALAR)

    def types_on(self, core: Core) -> Types | None:
        """The element types on a core's chip."""
        return None if self.types is None else self.types[core.soc.npu_arch]

    def check_types(self, core: Core, found: Signature, *, counted: bool = True) -> None:
        """Refuse element types that the instruction has not; ``counted``: in the form with a count of elements.

        Raises:
            NotImplementedError: this chip has no such instruction.
            TypeError: the operands' types differ, or the instruction has no such type on this chip.
        """
        if self.types is None:
            return
        types = self.types[core.soc.npu_arch]
        if not types.modes:
            raise NotImplementedError(f"{self.name}: {core.soc.name} has no such instruction")
        if found not in types.modes or (not counted and found in types.counted):
            raise TypeError(f"{self.name}: {types.refusal(found)} on {core.soc.name}")

    def check_field(self, core: Core, field: str, value: int) -> None:
        """Refuse a value beyond a field's limits.

        Raises:
            ValueError: it is too small or too large.
        """
        self._check_range(field, value, self.limits[core.soc.npu_arch][field])

    def check_strides(self, core: Core, tensors: Iterable[str], strides: Sequence[tuple[int, int]]) -> None:
        """Refuse strides that their fields cannot hold, of tensors by name.

        Raises:
            ValueError: one is too small or too large.
        """
        if all(0 <= one <= _NARROWEST for pair in strides for one in pair):
            return
        limits = self.limits[core.soc.npu_arch]
        for name, (blk, rep) in zip(tensors, strides, strict=True):
            self._check_range(f"{name}_{BLK_STRIDE}", blk, limits[BLK_STRIDE])
            self._check_range(f"{name}_{REP_STRIDE}", rep, limits[REP_STRIDE])

    def check_amount(self, core: Core, dtype: DataType, value: Any) -> None:
        """Refuse a scalar beyond its limits.

        Raises:
            ValueError: it is too small or too large for the element type.
        """
        if self.amounts is not None:
            self._check_range(f"scalar with {dtype}", value, self.amounts[core.soc.npu_arch][dtype.size])

    def _check_range(self, field: str, value: Any, limits: Range) -> None:
        low, high = limits
        if not low <= value <= high:
            raise ValueError(f"{self.name}: {field}: found {value}, expected {low} to {high}")

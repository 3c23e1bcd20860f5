"""What the table of instructions says about one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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

DAV_2201: Final = 2201
DAV_3510: Final = 3510
SCALAR: Final = "scalar"
"""The operand that is a number; all others are tensors."""
REPEAT_TIMES: Final = "repeat_times"


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
        width: of how many tensors, counted from the last one, the types are looked at.
        uniform: all operands of a call have one type.
    """

    __slots__ = ("modes", "uniform", "width")

    def __init__(self, modes: Mapping[Signature, frozenset[int]]) -> None:
        self.modes = MappingProxyType(dict(modes))
        self.width = max(map(len, self.modes), default=0)
        self.uniform = all(len(set(signature)) == 1 for signature in self.modes)

    def refusal(self, name: str, found: Signature) -> str:
        """What is wrong with a combination that is not among them."""
        other = next((dtype for dtype in found if dtype != found[0]), None)
        if self.uniform and other is not None:
            return f"{name}: found operands of {found[0]} and {other}, expected one element type"
        allowed = ", ".join(sorted({str(signature[-1]) for signature in self.modes}))
        return f"{name}: found {found[-1]}, expected one of {allowed}"


def one_type(width: int, types: Iterable[DataType], modes: frozenset[int] = frozenset()) -> Types:
    """All of ``width`` operands have the same one of ``types``."""
    return Types({(dtype,) * width: modes for dtype in types})


class Align(NamedTuple):
    """What the destination's start must be a multiple of: bytes, or ``elements`` where that is not 0."""

    bytes: int = 32
    elements: int = 0

    def of(self, dtype: DataType) -> int:
        """In bytes, for an element type."""
        return self.elements * dtype.size or self.bytes


WHOLE_BLOCKS: Final = Align()
REPEATS: Final[ByArch[Mapping[str, tuple[int, int]]]] = on_both(MappingProxyType({REPEAT_TIMES: (0, 255)}))


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
        routes: the pipe by destination and source memory.
        flow: how never-written bytes travel through it.
        align: what the start of its destination must be a multiple of.
        limits: smallest and largest value of a field, by architecture.
        reads_dst: the old destination is an operand as well, the last one.
        cost: its class in the cost model.
    """

    name: str
    form: str
    operands: tuple[str, ...]
    compute: Callable[..., Any] = as_it_is
    types: ByArch[Types] | None = None
    pipe: int | None = V
    routes: Mapping[Route, int] = MappingProxyType({})
    flow: str = LANES
    align: Align = WHOLE_BLOCKS
    limits: ByArch[Mapping[str, tuple[int, int]]] = REPEATS
    reads_dst: bool = False
    cost: str = ""

    @property
    def tensors(self) -> tuple[str, ...]:
        """The operands that are tensors."""
        return tuple(name for name in self.operands if name != SCALAR)

    def types_on(self, core: Core) -> Types | None:
        """The element types on a core's chip."""
        return None if self.types is None else self.types[core.soc.npu_arch]

    def check_types(self, core: Core, found: Signature) -> None:
        """Refuse element types that the instruction has not.

        Raises:
            TypeError: the operands' types differ, or the instruction has no such type.
        """
        if self.types is None:
            return
        types = self.types[core.soc.npu_arch]
        if types.width < len(found):
            found = found[-types.width :]
        if found not in types.modes:
            raise TypeError(types.refusal(self.name, found))

    def check_field(self, core: Core, field: str, value: int) -> None:
        """Refuse a value beyond a field's limits.

        Raises:
            ValueError: it is too small or too large.
        """
        low, high = self.limits[core.soc.npu_arch][field]
        if not low <= value <= high:
            raise ValueError(f"{field}: found {value}, expected {low} to {high}")

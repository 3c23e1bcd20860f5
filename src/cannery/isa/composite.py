"""Functions that are several instructions on a chip, with a temporary buffer; here each is one record.

The buffer is the program's own, or what is free of UB behind the buffers of the pipe object. Its contents are undefined
afterwards, and it must lie apart from all other operands (hicann/asc-devkit docs, advanced API, @82b89a15f263; sizes:
`impl/adv_api/tiling`, the smallest that is allowed).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from cannery.aicore.core import Core
from cannery.aicore.instruction import Access, Instruction, Lookup, Site
from cannery.aicore.memory import capacity, poison
from cannery.aicore.pipes import V
from cannery.isa.dtypes import uint8
from cannery.isa.op import Op
from cannery.isa.operands import Operand, access, stretch
from cannery.isa.reserved import held_scratch
from cannery.isa.space import Space, occupy
from cannery.isa.tensors import Local

REPEAT = 256


Pieces = list[tuple[int, int]]
Spread = Callable[[Pieces], Pieces]


class Temporaries(NamedTuple):
    """The temporary buffer of a call, None where the program gives none; ``reuse``: the source may be overwritten."""

    buffer: Local | None = None
    reuse: bool = False


NO_TEMPORARIES: Final = Temporaries()


def lanes_of(op: Op, tensors: Sequence[Local], count: int | None) -> list[Operand]:
    """``count`` elements of each tensor, from its start; None: all of the last one.

    Raises:
        ValueError: a negative number, or more than the last one has.
    """
    most = tensors[-1].size
    number = most if count is None else count
    if not 0 <= number <= most:
        raise ValueError(f"{op.name}: count: found {number}, expected 0 to {most}, the source's elements")
    return [(tensor, stretch(number, tensor.dtype.size)) for tensor in tensors]


def temporary_bytes(core: Core, op: Op, source: Operand, reuse: bool) -> int:
    """The least that the temporary buffer must have."""
    if op.temporary is None:
        return 0
    tensor, region = source
    return op.temporary[core.soc.npu_arch](region.number, tensor.dtype, reuse)


def issue(
    core: Core, site: Site | None, op: Op, targets: Sequence[Operand], sources: Sequence[Operand],
    effect: Callable[[], None], size: int, temporaries: Temporaries = NO_TEMPORARIES, *, work: Operand | None = None,
    lookup: Lookup | None = None, spread: Spread | None = None,
) -> None:  # fmt: skip
    """Issue one record of the vector pipe: reads, writes, and ``size`` bytes of a temporary buffer.

    ``work``, not given: the first source. ``lookup``, ``spread``: as an instruction has them.
    """
    reads = tuple([access(*source) for source in sources])
    results = [access(tensor, region, op.align.of(tensor.dtype)) for tensor, region in targets]
    overwritten = list(reads[:1]) if temporaries.reuse else []
    scratch = _scratch(core, site, op, temporaries.buffer, size)
    held_scratch(core, site, op)
    undefined = _bytes_of([*overwritten, *scratch])
    core.registers.count_form_used()

    def whole() -> None:
        effect()
        for lower, upper in undefined:
            poison(reads[0].memory.data, lower, upper)

    writes = (*results, *overwritten, *scratch)
    apart = [*product(scratch, [*results, *reads]), *(product(results, reads) if op.apart else ())]
    tensor, region = work or sources[0]
    core.issue(
        Instruction(
            op.name, V, reads, writes, site, whole, (), op.flow, None, undefined, tensor.dtype, region.number,
            lookup, spread, apart=tuple(apart),
        )
    )  # fmt: skip


def _bytes_of(accesses: Sequence[Access]) -> tuple[tuple[int, int], ...]:
    """The bytes of accesses inside their tensors."""
    return tuple([(one.lower, min(one.upper, one.owner.upper)) for one in accesses])


def _scratch(core: Core, site: Site | None, op: Op, buffer: Local | None, size: int) -> list[Access]:
    if not size:
        return []
    if buffer is not None:
        return [access(buffer.as_type(uint8), stretch(size, 1))]
    _reserve(core, site, op, size)
    return []


def _reserve(core: Core, site: Site | None, op: Op, size: int) -> None:
    """Take bytes of what is free of UB for the time of the call; too little is a finding."""
    space = core.state.get(Space)
    end = size + (space.end_of("UB") if space is not None else 0)
    holders = space.holders("UB") if space is not None else ()
    who = f"temporary buffer of {op.name}"
    occupy(core, site, "UB", end, capacity(core.soc, "UB"), who, [*holders, (who, size)])


def repeats(half: int, float32: int, reused: int | None = None) -> Callable[[int, Any, bool], int]:
    """The size of most temporary buffers: repeats of 256 bytes, by the element's width.

    ``reused``: of float32 where the source may be overwritten.
    """

    def size(count: int, dtype: Any, reuse: bool) -> int:
        del count
        if dtype.size != 4:
            return half * REPEAT
        return (reused if reuse and reused is not None else float32) * REPEAT

    return size

"""The UB that the compiler reserves on dav-2201, and the instructions that keep there what lies between
(hicann/asc-devkit docs, programming guide, static tensors, APIs that use reserved UB, @82b89a15f263).
"""

from __future__ import annotations

from typing import Final

from cannery.aicore.core import Core
from cannery.aicore.instruction import Site
from cannery.aicore.pipes import V
from cannery.isa.op import Op

_USERS: Final = frozenset({"select", "add_deq_relu", "adv.digamma", "adv.lgamma", "adv.power", "adv.sign"})


def held_scratch(core: Core, site: Site | None, op: Op, size: int | None = None) -> int | None:
    """Where an instruction writes for itself over a tensor, which is a finding; None where it does not.

    ``size``: how many bytes; not known: all that are reserved.

    Raises:
        ValueError: the compiler reserves nothing, and refuses the instruction.
    """
    start, held = core.limits.scratch_ub, core.pool.used.get("UB", 0)
    if start is None or op.name not in _USERS:
        return None
    if not core.launch.reserves_ub:
        raise ValueError(
            f"{op.name}: found --cce-disable-asc-reserved-ubuf, expected none: it needs the UB that is reserved without"
        )
    if held <= start:
        return None
    size = size or core.limits.reserved_ub
    core.report("scratch_held", site, memory="UB", pipes=(V,), op=op.name, size=size, place=start, held=held)
    return start

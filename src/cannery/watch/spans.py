"""The bytes an access touches."""

from __future__ import annotations

from collections.abc import Sequence

from cannery.aicore.instruction import Access


def spans(access: Access) -> Sequence[tuple[int, int]]:
    """The bytes an access touches inside its tensor, as absolute intervals."""
    owner = access.owner
    lower, upper = access.lower, access.upper
    if access.runs is None:
        if lower < owner.lower or upper > owner.upper:
            lower, upper = max(lower, owner.lower), min(upper, owner.upper)
        return ((lower, upper),) if lower < upper else ()
    base = access.lower
    cut = ((max(base + a, owner.lower), min(base + b, owner.upper)) for a, b in access.runs)
    return [(lower, upper) for lower, upper in cut if lower < upper]


def place(access: Access) -> str:
    """Where an access begins, e.g. ``UB+0x800`` or ``x+0x40``: never a host address, which differs between runs."""
    if access.memory.name == "GM":
        return f"{access.owner.label}+{access.lower - access.owner.origin:#x}"
    return f"{access.memory.name}+{access.lower:#x}"

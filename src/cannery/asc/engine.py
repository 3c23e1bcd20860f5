"""``engine="aicore"``: an operator's kernel, launched checked; what is found is part of the result."""

from __future__ import annotations

from typing import Any

from cannery.asc.jit import JITFunction
from cannery.soc import Soc
from cannery.watch import Finding, current, session


def launch_checked(
    kernel: JITFunction, soc: Soc, core_num: int, *args: Any, fills_ub: bool = False
) -> tuple[Finding, ...]:
    """Launch a kernel on ``core_num`` cores of a chip with all checks on; its findings.

    Arrays and torch tensors are written in place. The surrounding session keeps the launch as well, and
    has a say in the rest: the seed of the lazy order, precise computation. ``fills_ub``: the kernel takes all of UB on
    purpose, what the compiler reserves included.

    Raises:
        DeadlockError: the kernel cannot go on.
    """
    outer = current()
    with session(check=True, soc=soc) as inner:
        try:
            return kernel.run(core_num, *args, fills_ub=fills_ub).findings
        finally:
            for record in inner.launches:
                outer.remember(record)

"""What launches share within a process: whether to check, the seed, the chip, and the results so far.

The command line and the pytest plugin begin a session; a program run without them has a silent one. Threads that a
program starts itself must see the same session, which is why it is the process's and not the context's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from cannery.soc import Soc
from cannery.watch.findings import Finding


@dataclass(frozen=True)
class LaunchRecord:
    """One launch: what was launched where, and what was found.

    Attributes:
        kernel: name of the function.
        core_num: launched groups of cores.
        soc: the chip's name.
        seed: of the lazy order.
        issued: instructions issued per pipe, over all cores.
        local_bytes: most bytes in use per local memory.
        findings: in order of first occurrence.
    """

    kernel: str
    core_num: int
    soc: str
    seed: int
    issued: dict[str, int]
    local_bytes: dict[str, int]
    findings: tuple[Finding, ...]

    def as_dict(self) -> dict[str, Any]:
        """The launch as JSON has it."""
        return {
            "kernel": self.kernel,
            "core_num": self.core_num,
            "soc": self.soc,
            "seed": self.seed,
            "issued": self.issued,
            "local_bytes": self.local_bytes,
            "findings": len(self.findings),
        }


@dataclass
class Session:
    """Options of the launches to come, and the launches so far.

    Attributes:
        check: record and judge every launch.
        seed: of the lazy order; 0 is the laziest order.
        soc: a chip that wins over what the program sets; None: the program's, or the default.
        precise: compute 16-bit floating-point types in float32, to tell rounding from algorithm.
        platform: the chip the program set, "" for the default.
        launches: what was launched, in order; not kept in the silent session.
    """

    check: bool = False
    seed: int = 0
    soc: str | Soc | None = None
    precise: bool = False
    platform: str = ""
    launches: list[LaunchRecord] = field(default_factory=list)

    def remember(self, record: LaunchRecord) -> None:
        """Keep the record of a launch."""
        if self is not _STACK[0]:
            self.launches.append(record)

    def findings(self) -> list[Finding]:
        """All findings so far, in order."""
        return [finding for launch in self.launches for finding in launch.findings]


_STACK: Final = [Session()]


def current() -> Session:
    """The session in force."""
    return _STACK[-1]


@contextmanager
def session(
    *, check: bool = False, seed: int = 0, soc: str | Soc | None = None, precise: bool = False
) -> Iterator[Session]:
    """Run launches under their own options; yields the session, which gathers what they find."""
    mine = Session(check, seed, soc, precise)
    _STACK.append(mine)
    try:
        yield mine
    finally:
        _STACK.remove(mine)

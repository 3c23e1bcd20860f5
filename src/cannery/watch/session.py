"""What launches leave behind: a session gathers the launches of its block and what was found in them.

Which options hold there is `cannery.settings`' affair. The command line and the pytest plugin begin a session of the
process, which gathers the launches of threads as well; a program's own session is that of its thread or task; a program
without any has a silent one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from cannery.settings import process_scope, scope_owner, scoped
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


@dataclass(eq=False)
class Session:
    """The launches so far.

    Attributes:
        launches: what was launched, in order; not kept in the silent session.
        is_silent: the session of a program without one: it keeps nothing.
    """

    launches: list[LaunchRecord] = field(default_factory=list)
    is_silent: bool = False

    def remember(self, record: LaunchRecord) -> None:
        """Keep the record of a launch."""
        if not self.is_silent:
            self.launches.append(record)

    def findings(self) -> list[Finding]:
        """All findings so far, in order."""
        return [finding for launch in self.launches for finding in launch.findings]


_SILENT: Final = Session(is_silent=True)


def current() -> Session:
    """The session that gathers what is launched here."""
    return scope_owner() or _SILENT


@contextmanager
def session(
    *,
    check: bool | None = None,
    seed: int | None = None,
    soc: str | Soc | None = None,
    precise: bool | None = None,
    saturate: bool | None = None,
    quirks: bool | None = None,
    engine: str | None = None,
) -> Iterator[Session]:
    """Run a block of this thread or task under its own options; yields the session, which gathers what is found.

    Args:
        check: record and judge every launch.
        seed: of the lazy order; 0 is the laziest order.
        soc: the chip, whatever the command line, the program or the environment says.
        precise: compute 16-bit floating-point types in float32, to tell rounding from algorithm.
        saturate: half results beyond 65504 are 65504, not infinity.
        quirks: reproduce the originals' code where it is wrong or undefined.
        engine: how operators are launched, where they have that engine.

    What is not set is inherited: from the session around it, the command line, the environment.

    Raises:
        SettingError, UnknownSocError: a value that cannot be.
    """
    mine = Session()
    with scoped(
        mine, check=check, seed=seed, soc=soc, precise=precise, saturate=saturate, quirks=quirks, engine=engine
    ):
        yield mine


@contextmanager
def process_session(**options: Any) -> Iterator[Session]:
    """The same for the whole process, its threads included, beneath every session: what a command line asks for."""
    mine = Session()
    with process_scope(mine, **options):
        yield mine

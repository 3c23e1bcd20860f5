"""Findings: what the checker has to say, as values.

Codes are npuchk's (hicann/asc-tools `docs/02_npu_check_en.md`); a kind without a counterpart there has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from cannery.aicore.instruction import Site

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"

SEVERITIES: Final = MappingProxyType(
    {
        "RAW": ERROR,
        "WAR": ERROR,
        "WAW": ERROR,
        "OOB": ERROR,
        "MISALIGNED": ERROR,
        "UNINITIALIZED": ERROR,
        "UB_OVERFLOW": ERROR,
        "UNPAIRED_FLAG": WARNING,
        "REDUNDANT_SYNC": NOTE,
        "DEADLOCK": ERROR,
        "QUEUE_MISUSE": ERROR,
        "EVENT_ID": ERROR,
        "CROSS_CORE": ERROR,
        "ROUNDED_COPY": ERROR,
        "USE_AFTER_FREE": ERROR,
        "LEAK": WARNING,
    }
)
"""Every kind and how bad it is. UNINITIALIZED is a warning where only lane-wise instructions read."""

RACES: Final = frozenset({"RAW", "WAR", "WAW", "CROSS_CORE"})
"""Kinds with two accesses."""

CODES: Final = MappingProxyType(
    {
        "RAW": "ErrorSync2",
        "WAR": "ErrorSync1",
        "WAW": "ErrorSync1",
        "UNINITIALIZED": "ErrorRead2",
        "UNPAIRED_FLAG": "ErrorSync3",
        "DEADLOCK": "ErrorSync3",
        "EVENT_ID": "ErrorSync4",
        "QUEUE_MISUSE": "ErrorBuffer2",
        "LEAK": "ErrorLeak",
    }
)
"""npuchk's code of a kind, where the kind alone decides it."""


@dataclass(frozen=True)
class Finding:
    """One finding, aggregated over all its occurrences in a launch.

    Attributes:
        kind: one of SEVERITIES.
        severity: "error", "warning" or "note".
        code: npuchk's code, "" where npuchk has none.
        memory: GM, UB, L1, L0A, L0B, L0C, or "" where no memory is concerned.
        pipes: first-issued access's pipe, then the second's.
        message: text in msSanitizer's form.
        locations: source lines, in the order of ``pipes``.
        count: how often it occurred.
        kernel: name of the launched function.
        core: block index of the core it occurred on first.
        hint: what to add or change, "" where there is nothing to say.
    """

    kind: str
    severity: str
    code: str
    memory: str
    pipes: tuple[str, ...]
    message: str
    locations: tuple[Site, ...]
    count: int
    kernel: str
    core: int
    hint: str = ""

    def __str__(self) -> str:
        where = "".join(f" {site.file}:{site.line}" for site in self.locations)
        return f"{self.kind} in {self.kernel}{where}: {self.message.splitlines()[0].removeprefix('====== ')}"

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON has it."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "code": self.code,
            "memory": self.memory,
            "pipes": list(self.pipes),
            "message": self.message,
            "locations": [{"file": site.file, "line": site.line} for site in self.locations],
            "count": self.count,
            "kernel": self.kernel,
            "core": self.core,
        }


@dataclass(frozen=True)
class Report:
    """One occurrence on its way into a finding. ``text`` is built once per finding, when it first occurs."""

    kind: str
    text: Callable[[], str]
    sites: tuple[Site | None, ...] = ()
    memory: str = ""
    pipes: tuple[str, ...] = ()
    severity: str = ""
    code: str = ""
    hint: str = ""
    detail: str = ""
    """Keeps occurrences apart that differ in nothing else, such as two queues."""


@dataclass
class _Entry:
    finding: Finding
    serial: int
    count: int = 1


@dataclass
class Collector:
    """Gathers the findings of one launch, one per kind and pair of source lines, in order of first occurrence."""

    kernel: str
    _entries: dict[tuple[Any, ...], _Entry] = field(default_factory=dict)

    def add(self, report: Report, core: int, serial: int = 0) -> None:
        """Count an occurrence on a core at a point of its instruction stream."""
        sites = tuple(site for site in report.sites if site is not None)
        severity = report.severity or SEVERITIES[report.kind]
        key = (report.kind, severity, report.memory, report.pipes, sites, report.detail)
        entry = self._entries.get(key)
        if entry is not None:
            entry.count += 1
            return
        code = report.code or CODES.get(report.kind, "")
        finding = Finding(
            report.kind, severity, code, report.memory, report.pipes, report.text(), sites, 1, self.kernel, core,
            report.hint,
        )  # fmt: skip
        self._entries[key] = _Entry(finding, serial)

    def drop(self, condition: Callable[[Finding, int], bool]) -> None:
        """Take back findings that a later discovery explains; the condition sees finding and serial number."""
        self._entries = {
            key: entry for key, entry in self._entries.items() if not condition(entry.finding, entry.serial)
        }

    def __iter__(self) -> Iterator[Finding]:
        return (replace(entry.finding, count=entry.count) for entry in self._entries.values())


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of severity error."""
    return [finding for finding in findings if finding.severity == ERROR]

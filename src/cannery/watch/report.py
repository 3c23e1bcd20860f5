"""Findings as text in a compiler's form, and a session as JSON."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Sequence
from typing import Any

from cannery.aicore.instruction import Site
from cannery.watch.findings import Finding
from cannery.watch.rules import ERROR, NOTE, PAIR_KINDS, WARNING
from cannery.watch.session import Session


def as_json(session: Session) -> dict[str, Any]:
    """The session's findings and launches, ready for json.dump."""
    return {
        "findings": [finding.as_dict() for finding in session.findings()],
        "launches": [launch.as_dict() for launch in session.launches],
    }


def render(finding: Finding) -> str:
    """A finding as a compiler prints one: place, what, the source lines, what to do.

    The place of a race is its later access: the line that comes too early.
    """
    code = f" [{finding.code}]" if finding.code else ""
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    head = f"{finding.severity}: {_title(finding)}{times}{code}"
    if finding.locations:
        place = finding.locations[-1 if _is_pair(finding) else 0]
        head = f"{place.file}:{place.line}: {head}"
    lines = [head, *_details(finding), *_sources(finding.locations)]
    if finding.hint:
        lines.append(f"  help: {finding.hint}")
    return "\n".join(lines)


def summary(findings: Sequence[Finding], launches: int) -> str:
    """How many of what, in one line."""
    counts = Counter(finding.severity for finding in findings)
    parts = [_plural(counts[severity], severity) for severity in (ERROR, WARNING, NOTE) if counts[severity]]
    return f"{', '.join(parts) or 'no findings'} in {_plural(launches, 'launch')}"


def _plural(count: int, noun: str) -> str:
    ending = "" if count == 1 else "es" if noun.endswith("ch") else "s"
    return f"{count} {noun}{ending}"


def _is_pair(finding: Finding) -> bool:
    """Whether it is about two accesses, each with its line."""
    return finding.kind in PAIR_KINDS and len(finding.locations) == 2


def _title(finding: Finding) -> str:
    pipes = " -> ".join(finding.pipes)
    where = f" on {finding.memory}" if finding.memory else ""
    return f"{finding.kind}{where}{', ' + pipes if pipes else ''} in {finding.kernel}"


def _details(finding: Finding) -> list[str]:
    """The message without its frame, its source lines, and what the head has said."""
    body = [line.removeprefix("======").strip() for line in finding.message.splitlines()]
    body[0] = body[0].partition(": ")[2]
    return [f"  {line}" for line in body[_is_pair(finding) :] if not line.startswith("#")]


def _sources(sites: Sequence[Site]) -> list[str]:
    width = max((len(str(site.line)) for site in sites), default=1)
    return [
        f"  {site.line:>{width}} | {linecache.getline(site.file, site.line).rstrip()}" for site in dict.fromkeys(sites)
    ]

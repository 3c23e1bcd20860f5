"""Places of a program: addresses that become source lines when somebody asks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from cannery.aicore.instruction import Site

UNKNOWN: Final = "??"


class Frame(NamedTuple):
    """A line of the program, and the function it is in."""

    file: str
    line: int
    function: str


class Place(NamedTuple):
    """Which file an address is in, and where."""

    binary: str
    offset: int


class CodeSite(Site):
    """A place in a compiled program, as a source line: the innermost that is the user's own.

    It is a ``Site``, since the compiled parts of the core take nothing else; what that holds is looked up when asked.
    """

    def __new__(cls, sites: Sites, address: int) -> CodeSite:
        del sites
        return tuple.__new__(cls, (UNKNOWN, address, ""))

    def __init__(self, sites: Sites, address: int) -> None:
        self._sites = sites
        self._frames: tuple[Frame, ...] | None = None
        self.address = address

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The user's lines, the innermost first, then those that it is inlined in."""
        if self._frames is None:
            self._sites.resolve()
        return self._frames or (Frame(UNKNOWN, 0, ""),)

    def resolved(self, frames: tuple[Frame, ...]) -> None:
        """What the debugging information says."""
        self._frames = frames

    @property
    def is_resolved(self) -> bool:
        """Whether anybody has asked."""
        return self._frames is not None

    @property
    def file(self) -> str:
        """The source file."""
        return self.frames[0].file

    @property
    def line(self) -> int:
        """The line."""
        return self.frames[0].line

    @property
    def function(self) -> str:
        """The function around it."""
        return self.frames[0].function

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CodeSite):
            return NotImplemented
        return self is other or (self.file, self.line) == (other.file, other.line)

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __hash__(self) -> int:
        return hash((self.file, self.line))

    def __repr__(self) -> str:
        return f"{self.file}:{self.line}"


class Sites:
    """The places that were seen, one object each. ``place_of`` finds the file of an address; ``own``: our headers."""

    def __init__(self, place_of: Callable[[int], Place | None], own: str) -> None:
        self._place_of = place_of
        self._own = own
        self._sites: dict[int, CodeSite] = {}

    def at(self, address: int) -> CodeSite:
        """The place of a return address."""
        site = self._sites.get(address)
        if site is None:
            site = self._sites[address] = CodeSite(self, address)
        return site

    def resolve(self) -> None:
        """Look up all places that nobody has asked for yet, in one go."""
        waiting = [site for site in self._sites.values() if not site.is_resolved]
        by_binary: dict[str, list[tuple[CodeSite, int]]] = {}
        for site in waiting:
            place = self._place_of(site.address)
            site.resolved(())
            if place is not None:
                # The line of a call, not of what follows it.
                by_binary.setdefault(place.binary, []).append((site, place.offset - 1))
        for binary, places in by_binary.items():
            for (site, _), frames in zip(places, _looked_up(binary, [offset for _, offset in places]), strict=True):
                site.resolved(tuple(frame for frame in frames if not frame.file.startswith(self._own)))


def _looked_up(binary: str, offsets: list[int]) -> list[list[Frame]]:
    tool = shutil.which("addr2line")
    if tool is None:
        return [[] for _ in offsets]
    line = [tool, "-a", "-f", "-C", "-i", "-e", binary]
    asked = "".join(f"{offset:#x}\n" for offset in offsets)
    done = subprocess.run(line, input=asked, capture_output=True, text=True, check=False)
    return list(_parsed(done.stdout.splitlines(), len(offsets)))


def _parsed(lines: list[str], count: int) -> Iterator[list[Frame]]:
    """Blocks that begin with the address, then pairs of a function and its line."""
    starts = [number for number, line in enumerate(lines) if line.startswith("0x")]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield [_frame(lines[at], lines[at + 1]) for at in range(start + 1, stop - 1, 2)]
    yield from ([] for _ in range(count - len(starts)))


def _frame(function: str, place: str) -> Frame:
    file, _, rest = place.rpartition(":")
    number = rest.split()[0] if rest else ""
    return Frame(file, int(number) if number.isdigit() else 0, function.partition("(")[0])

"""From bisheng's C++ to C++: launches, and the qualifiers that say on which cores a kernel runs.

Works on preprocessed text, so that macros, comments and conditions are done with; the preprocessor's line markers keep
the user's lines (hicann/asc-devkit `docs/zh/guide`, kernel launch with `<<<>>>`, @82b89a15f).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

_SKIPPED: Final = re.compile(
    r'R"([^(\s]*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^\#[^\n]*$|//[^\n]*|/\*(?:.|\n)*?\*/',
    re.MULTILINE,
)
_MARKER: Final = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)', re.MULTILINE)
_CALLEE: Final = re.compile(r"(?:::)?(?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*\s*$")
_NAME: Final = re.compile(r"([A-Za-z_]\w*)\s*(<[^;{}()]*>)?\s*\($")
_QUALIFIER: Final = re.compile(r"\b__(?:global|vector|cube)__\b|\b__mix__\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_TASK_TYPE: Final = re.compile(r"\bKERNEL_TASK_TYPE(?:_DEFAULT)?\s*\(\s*(?:[^();,]*,\s*)?KERNEL_TYPE_(\w+)\s*\)")
_CUBE: Final = re.compile(r"\b(?:Mmad\w*|Fixpipe|LoadData\w*|SetFixPipeConfig|L0[ABC])\b")
_VECTOR: Final = re.compile(r"\b(?:VECIN|VECOUT|VECCALC|Hardware\s*::\s*UB)\b")
_MATMUL: Final = re.compile(r"\b(?:Matmul|MatmulImpl)\s*<")
_OPEN: Final = "([{"
_CLOSE: Final = ")]}"
SYSTEM: Final = "3"


class Cores(NamedTuple):
    """Cube and vector cores of a group; ``scheduled``: they can wait for each other."""

    cubes: int
    vectors: int
    scheduled: bool = True


_TASKS: Final[Mapping[str, Cores]] = MappingProxyType(
    {
        "AIV_ONLY": Cores(0, 1, False), "AIC_ONLY": Cores(1, 0, False), "MIX_AIV_1_0": Cores(0, 1),
        "MIX_AIC_1_0": Cores(1, 0), "MIX_AIC_1_1": Cores(1, 1), "MIX_AIC_1_2": Cores(1, 2), "AICORE": Cores(0, 1),
        "VECTORCORE": Cores(0, 1),
    }
)  # fmt: skip


class TranslationError(ValueError):
    """A launch that is not written as the language has it; the message begins with file and line."""


@dataclass(frozen=True)
class Translated:
    """What the compiler gets.

    Attributes:
        kernels: the cores of each kernel that the text defines.
    """

    text: str
    kernels: Mapping[str, Cores]


def translate(text: str, auto_sync: bool = True) -> Translated:
    """Preprocessed text with launches as calls and without the qualifiers of kernels.

    Raises:
        TranslationError: a launch without its arguments, or with other than one to three expressions.
    """
    hidden = _hide(text)
    kernels = _kernels(text, hidden)
    pieces: list[str] = []
    at = 0
    for launch in _launches(text, hidden):
        pieces += [text[at : launch.start], _call(text, hidden, launch, kernels, auto_sync)]
        at = launch.stop
    joined = "".join([*pieces, text[at:]])
    return Translated(_without_qualifiers(joined), kernels)


def _hide(text: str) -> str:
    """The text with strings, comments and markers blanked out, at the same places."""
    return _SKIPPED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class Launch(NamedTuple):
    """Where the parts of a launch are: the kernel's name, what the brackets and the parentheses hold."""

    start: int
    callee: tuple[int, int]
    where: tuple[int, int]
    arguments: tuple[int, int]
    stop: int


def _launches(text: str, hidden: str) -> Iterator[Launch]:
    at = hidden.find("<<<")
    while at >= 0:
        start = _callee_start(hidden, at)
        if start is None:
            at = hidden.find("<<<", at + 3)
            continue
        stop = _find(hidden, at + 3, ">>>")
        opening = stop + 3 if stop is not None else None
        while opening is not None and hidden[opening : opening + 1].isspace():
            opening += 1
        if stop is None or opening is None or hidden[opening : opening + 1] != "(":
            raise _error(text, at, "a launch without >>>(…)", "kernel<<<blocks, dynamic memory, stream>>>(arguments)")
        closing = _find(hidden, opening + 1, ")")
        if closing is None:
            raise _error(text, at, "a launch without its closing parenthesis", "one")
        yield Launch(start, (start, at), (at + 3, stop), (opening + 1, closing), closing + 1)
        at = hidden.find("<<<", closing)


def _callee_start(hidden: str, at: int) -> int | None:
    """Where the name before the brackets begins; None where there is none."""
    end = len(hidden[:at].rstrip())
    if hidden[end - 1 : end] == ">":
        end = _template_start(hidden, end)
    found = _CALLEE.search(hidden[max(0, end - 400) : end])
    return None if found is None else max(0, end - 400) + found.start()


def _template_start(hidden: str, end: int) -> int:
    """Where the template arguments that end before a place begin; what is in parentheses is none of them."""
    angles = rounds = 0
    while end > 0:
        end -= 1
        letter = hidden[end]
        rounds += (letter == ")") - (letter == "(")
        if rounds == 0:
            angles += (letter == ">") - (letter == "<")
        if rounds == 0 and angles == 0:
            break
    return end


def _find(hidden: str, start: int, what: str) -> int | None:
    """The first place of a text outside inner brackets."""
    depth = 0
    for at in range(start, len(hidden)):
        if depth == 0 and hidden.startswith(what, at):
            return at
        if hidden[at] in _OPEN:
            depth += 1
        elif hidden[at] in _CLOSE:
            depth -= 1
            if depth < 0:
                return None
    return None


def split(text: str, hidden: str, start: int, stop: int) -> list[str]:
    """The expressions of a list, commas inside brackets left alone."""
    parts: list[str] = []
    at = start
    while at < stop:
        comma = _find(hidden[:stop], at, ",")
        end = stop if comma is None else comma
        parts.append(text[at:end])
        at = end + 1
    return [part for part in parts if part.strip()]


def _call(text: str, hidden: str, launch: Launch, kernels: Mapping[str, Cores], auto_sync: bool) -> str:
    callee = text[slice(*launch.callee)]
    where = split(text, hidden, *launch.where)
    if not 1 <= len(where) <= 3:
        found = f"{len(where)} expressions between <<< and >>>"
        raise _error(text, launch.start, found, "blocks, dynamic memory, stream")
    name = re.split(r"[<\s]", callee.rstrip())[0].rpartition("::")[2]
    cores = kernels.get(name, Cores(0, 1))
    arguments = split(text, hidden, *launch.arguments)
    labels = "\\n".join(re.sub(r"\s+", " ", part.strip()).replace("\\", "").replace('"', "'") for part in arguments)
    numbers = ", ".join(map(str, (cores.cubes, cores.vectors, int(cores.scheduled), int(auto_sync))))
    kernel = f'CanneryKernel{{"{name}", "{labels}", {numbers}}}'
    passed = text[slice(*launch.arguments)]
    comma = "," if arguments else ""
    return (
        f"::cannery::launch({kernel}, ::cannery::Where({text[slice(*launch.where)]}), "
        f"[](auto... cannery_arguments) {{ {callee}(cannery_arguments...); }}{comma} {passed})"
    )


def _kernels(text: str, hidden: str) -> Mapping[str, Cores]:
    """The cores of each kernel: by its qualifiers, its task type, or the instructions that the program uses."""
    usual = _inferred(_users_text(text, hidden))
    found: dict[str, Cores] = {}
    for match in re.finditer(r"\b__global__\b", hidden):
        head, name = _declaration(hidden, match.start())
        if name:
            found[name] = _qualified(head) or _task_type(hidden, match.start()) or found.get(name) or usual
    return found


def _declaration(hidden: str, at: int) -> tuple[str, str]:
    """What stands around ``__global__`` up to the parameters, and the name before them."""
    start = max(hidden.rfind(mark, 0, at) for mark in ";}{") + 1
    opening = at
    while True:
        opening = hidden.find("(", opening) + 1
        if not opening:
            return "", ""
        name = _NAME.search(hidden, at, opening)
        if name is not None and not name[1].startswith("__"):
            return hidden[start:opening], name[1]
        closing = _find(hidden, opening, ")")
        opening = opening if closing is None else closing


def _qualified(head: str) -> Cores | None:
    for match in _QUALIFIER.finditer(head):
        if match[1]:
            return Cores(int(match[1]), int(match[2]))
        if "vector" in match[0]:
            return Cores(0, 1)
        if "cube" in match[0]:
            return Cores(1, 0)
    return None


def _task_type(hidden: str, at: int) -> Cores | None:
    body = hidden.find("{", at)
    stop = None if body < 0 else _find(hidden, body + 1, "}")
    found = _TASK_TYPE.search(hidden, body, stop) if stop is not None else None
    return _TASKS.get(found[1]) if found else None


def _inferred(users: str) -> Cores:
    """As the compiler of A2 and A3 does it: from the instructions that are used."""
    if _MATMUL.search(users):
        return Cores(1, 2)
    if _CUBE.search(users):
        return Cores(1, 2) if _VECTOR.search(users) else Cores(1, 0)
    return Cores(0, 1)


def _users_text(text: str, hidden: str) -> str:
    """What comes from the user's own files."""
    markers = list(_MARKER.finditer(text))
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    return "".join(
        hidden[marker.end() : end]
        for marker, end in zip(markers, ends, strict=True)
        if SYSTEM not in marker[3] and not marker[2].startswith("<")
    )


def _without_qualifiers(text: str) -> str:
    hidden = _hide(text)
    pieces: list[str] = []
    at = 0
    for match in sorted([*_QUALIFIER.finditer(hidden), *_TASK_TYPE.finditer(hidden)], key=lambda one: one.start()):
        pieces.append(text[at : match.start()])
        at = match.end()
    return "".join([*pieces, text[at:]])


def _error(text: str, at: int, found: str, expected: str) -> TranslationError:
    markers = list(_MARKER.finditer(text, 0, at))
    file, line = (markers[-1][2], int(markers[-1][1])) if markers else ("", 1)
    begin = markers[-1].end() + 1 if markers else 0
    return TranslationError(f"{file}:{line + text.count(chr(10), begin, at)}: found {found}, expected {expected}")

"""The error every refused call ends with, its form for all other rooms, and the stages of a call."""

from __future__ import annotations

from enum import Enum, IntEnum

MAX_TEXT = 400


class Stage(Enum):
    """The four stages of a staged call, in order. ``letter`` is how ATB case files spell them (C, I, S, E)."""

    CHECK = "check"
    INFER_SHAPE = "infer_shape"
    TILING = "tiling"
    LAUNCH = "launch"

    @property
    def letter(self) -> str:
        """C create, I infer shape, S setup, E execute."""
        return {"check": "C", "infer_shape": "I", "tiling": "S", "launch": "E"}[self.value]


class Refusal(Exception):
    """What every refusal says; a room's own class adds its code and the builtin it belongs to.

    Attributes:
        parameter: what is at fault, with an index where one element is.
        found: what was given, in words.
        expected: what would do, in words.
    """

    def __init__(self, parameter: str, found: object, expected: object) -> None:
        super().__init__(parameter, found, expected)
        self.parameter = parameter
        self.found = str(found)
        self.expected = str(expected)

    def __str__(self) -> str:
        return f"{self.parameter}: found {self.found}, expected {self.expected}"

    @property
    def facts(self) -> tuple[str, str, str]:
        """Parameter, found, expected: what another room's refusal of the same fault is made of."""
        return self.parameter, self.found, self.expected


class OperatorError(Refusal, ValueError):
    """A call that the operator's contract refuses. The parameter is the input, output or attribute at fault.

    Attributes:
        stage: where it was refused.
        operator: the operator's CANN type, e.g. ``UnpadWithHiddenState``.
        code: the original's own status for this fault (a member of a table of ``cannery.core.status``).
    """

    def __init__(
        self, stage: Stage, operator: str, parameter: str, found: object, expected: object, code: IntEnum
    ) -> None:
        super().__init__(parameter, _in_one_line(found), _in_one_line(expected))
        self.args = (stage, operator, parameter, found, expected, code)
        self.stage = stage
        self.operator = operator
        self.code = code

    def __str__(self) -> str:
        return f"{self.operator}: {self.stage.value}: {super().__str__()} [{self.code.name}]"


def _in_one_line(value: object) -> str:
    """What ``repr`` breaks into lines, such as a tensor, joined again; a long value keeps its ends."""
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} … {text[-MAX_TEXT // 4 :]}"

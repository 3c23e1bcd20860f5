"""The one error a call can end with, and the stages it can come from."""

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


class OperatorError(ValueError):
    """A call that the operator's contract refuses.

    Attributes:
        stage: where it was refused.
        operator: the operator's CANN type, e.g. ``UnpadWithHiddenState``.
        parameter: the input, output or attribute at fault.
        found: what the caller gave, in words.
        expected: what the contract wants, in words.
        code: the original's own status for this fault (a member of a table of ``cannery.core.status``).
    """

    def __init__(
        self, stage: Stage, operator: str, parameter: str, found: object, expected: object, code: IntEnum
    ) -> None:
        super().__init__(stage, operator, parameter, found, expected, code)
        self.stage = stage
        self.operator = operator
        self.parameter = parameter
        self.found = _in_one_line(found)
        self.expected = _in_one_line(expected)
        self.code = code

    def __str__(self) -> str:
        where = f"{self.operator}: {self.stage.value}: {self.parameter}"
        return f"{where}: found {self.found}, expected {self.expected} [{self.code.name}]"


def _in_one_line(value: object) -> str:
    """What ``repr`` breaks into lines, such as a tensor, joined again; a long value keeps its ends."""
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} … {text[-MAX_TEXT // 4 :]}"

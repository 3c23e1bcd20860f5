"""Chip, quirks, engine, check, seed, precise, saturate: what every entry point asks, and the one order of who decides.

Argument, session, command line, the program's own ``config.set_platform`` (the chip only), environment, default: the
first that says something wins. A session holds in its own thread or task; the command line and the environment hold in
the whole process, in threads that the program starts as well. An unknown value is refused by the name of its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final

from cannery.soc import Soc, UnknownSocError
from cannery.soc import soc as find_soc

DEFAULT_CHIP: Final = "Ascend910B1"
"""The chip where nobody names one and no operator has a chip of its own: kernels, devices."""


_DIGITS: Final = 18


class SettingError(ValueError):
    """A value that a setting cannot have; the message begins with the place it came from."""


class Origin(IntEnum):
    """Who decided, from the strongest."""

    ARGUMENT = 0
    SESSION = 1
    COMMAND_LINE = 2
    PROGRAM = 3
    ENVIRONMENT = 4
    DEFAULT = 5


@dataclass(frozen=True)
class Setting:
    """A row of the table.

    Attributes:
        argument: its name among the arguments of a call and of a session.
        option: its name on the command line.
        variable: its name in the environment; empty counts as unset there.
        default: its value where nobody says anything.
        expected: the values it can have, in words.
        check: the value of an argument, with the place for the error.
        read: the same from the text of a variable.
    """

    argument: str
    option: str
    variable: str
    default: Any
    meaning: str
    expected: str
    check: Callable[[Setting, Any, str], Any]
    read: Callable[[Setting, str, str], Any]

    def refuse(self, value: object, place: str, expected: str = "") -> SettingError:
        """The error for a value it cannot have."""
        return SettingError(f"{place}: found {value!r}, expected {expected or self.expected}")


def _chip(_: Setting, value: Any, place: str) -> Soc:
    try:
        return find_soc(value)
    except UnknownSocError as failure:
        raise UnknownSocError(place + str(failure).removeprefix("soc")) from None


def _switch(setting: Setting, value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise setting.refuse(value, place)
    return value


def _read_switch(setting: Setting, text: str, place: str) -> bool:
    if text not in ("0", "1"):
        raise setting.refuse(text, place, "1 (on), 0 (off), or no such variable")
    return text == "1"


def _name(setting: Setting, value: Any, place: str) -> str:
    if not isinstance(value, str) or not value:
        raise setting.refuse(value, place)
    return value


def _number(setting: Setting, value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise setting.refuse(value, place)
    if abs(value) >= 10**_DIGITS:
        raise setting.refuse(value, place, f"an integer of at most {_DIGITS} digits")
    return value


def _read_number(setting: Setting, text: str, place: str) -> int:
    if re.fullmatch(rf"-?[0-9]{{1,{_DIGITS}}}", text) is None:
        raise setting.refuse(text, place)
    return int(text)


def _as_switch(argument: str, meaning: str) -> Setting:
    option, variable = f"--{argument}", f"CANNERY_{argument.upper()}"
    return Setting(argument, option, variable, False, meaning, "True or False", _switch, _read_switch)


SETTINGS: Final[Mapping[str, Setting]] = MappingProxyType(
    {
        "chip": Setting(
            "soc", "--soc", "CANNERY_SOC", None, "The chip.", "the name of a chip such as Ascend910B1", _chip, _chip
        ),
        "quirks": _as_switch("quirks", "Reproduce the originals where they are wrong or undefined."),
        "engine": Setting(
            "engine", "--engine", "CANNERY_ENGINE", "", "How operators are launched, where they have that engine.",
            "the name of an engine", _name, _name,
        ),
        "check": _as_switch("check", "Check every kernel launch."),
        "seed": Setting(
            "seed", "--seed", "CANNERY_SEED", 0, "Draw the lazy order from it; 0 is the laziest.", "an integer",
            _number, _read_number,
        ),
        "precise": _as_switch("precise", "Compute 16-bit floats in float32 inside kernels."),
        "saturate": _as_switch("saturate", "Half results beyond 65504 are 65504 inside kernels, not infinity."),
    }
)  # fmt: skip
"""The settings, in the order of the documentation."""


@dataclass(frozen=True)
class Found:
    """A setting's value, who decided it, and how that place is called in an error."""

    value: Any
    origin: Origin
    place: str


_DEFAULTS: Final = MappingProxyType(
    {name: Found(setting.default, Origin.DEFAULT, "default") for name, setting in SETTINGS.items()}
)


@dataclass(frozen=True)
class Settings:
    """All settings as they are here and now.

    Attributes:
        chip: None where nobody names one: an operator's first, else ``DEFAULT_CHIP``.
        engine: empty where nobody names one.
        origins: who decided each.
    """

    chip: Soc | None
    quirks: bool
    engine: str
    check: bool
    seed: int
    precise: bool
    saturate: bool
    origins: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(eq=False)
class Scope:
    """What a session, or the command line, sets for as long as it lasts.

    Attributes:
        values: what it sets; the rest is inherited.
        owner: whom it gathers for, if anybody.
        platform: the chip that the program chose meanwhile.
        is_over: it ended in another thread or task than it began in, which keeps it and cannot be told otherwise.
    """

    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    owner: Any = None
    platform: Soc | None = None
    is_over: bool = False


_SESSIONS: Final[ContextVar[tuple[Scope, ...]]] = ContextVar("cannery.settings", default=())
# The first is the process without a command line; later ones come and go with a verb, or with a test of pytest's.
_PROCESS: Final = [Scope()]


@contextmanager
def scoped(owner: Any = None, **values: Any) -> Iterator[Scope]:
    """Set values for a block of this thread or task; None inherits.

    Raises:
        SettingError, UnknownSocError: a value that cannot be.
    """
    mine = Scope(_checked(values, lambda setting: setting.argument), owner)
    token = _SESSIONS.set((*_sessions(), mine))
    try:
        yield mine
    finally:
        # Not what the token restores: blocks of generators and fixtures may end in another order than they began.
        others = tuple(scope for scope in _SESSIONS.get() if scope is not mine)
        try:
            _SESSIONS.reset(token)
        except ValueError:  # a generator may end in another thread or task
            mine.is_over = True
        _SESSIONS.set(others)


@contextmanager
def process_scope(owner: Any = None, **values: Any) -> Iterator[Scope]:
    """Set values for the whole process, its threads included, beneath every session; None inherits.

    Raises:
        SettingError, UnknownSocError: a value that cannot be.
    """
    mine = Scope(_checked(values, lambda setting: setting.option), owner)
    _PROCESS.append(mine)
    try:
        yield mine
    finally:
        _PROCESS[:] = [scope for scope in _PROCESS if scope is not mine]


def choose_platform(chip: Soc) -> None:
    """Let the program choose the chip: for its session where it has one, else for the process."""
    _scopes()[0].platform = chip


def scope_owner() -> Any:
    """Whom the innermost session or command line gathers for; None for nobody."""
    return next((scope.owner for scope in _scopes() if scope.owner is not None), None)


def find_setting(name: str, argument: Any = None) -> Found:
    """The value of a setting, by the one order; an argument of None says nothing.

    Raises:
        SettingError, UnknownSocError: the first place that says something says what cannot be.
    """
    setting = SETTINGS[name]
    if argument is not None:
        return Found(setting.check(setting, argument, setting.argument), Origin.ARGUMENT, setting.argument)
    for scope in reversed(_SESSIONS.get()):
        if name in scope.values and not scope.is_over:
            return Found(scope.values[name], Origin.SESSION, f"session({setting.argument}=)")
    for scope in reversed(_PROCESS):
        if name in scope.values:
            return Found(scope.values[name], Origin.COMMAND_LINE, setting.option)
    return _found_below(name, setting)


def _found_below(name: str, setting: Setting) -> Found:
    if name == "chip":
        for scope in (*reversed(_SESSIONS.get()), *reversed(_PROCESS)):
            if scope.platform is not None and not scope.is_over:
                return Found(scope.platform, Origin.PROGRAM, "config.set_platform")
    # Asked first: each call looks up several, and a variable that is not there is refused at a price.
    text = os.environ.get(setting.variable, "").strip() if setting.variable in os.environ else ""
    if text:
        return Found(setting.read(setting, text, setting.variable), Origin.ENVIRONMENT, setting.variable)
    return _DEFAULTS[name]


def chosen_chip(argument: str | Soc | None = None) -> Soc | None:
    """The chip; None where nobody names one."""
    found: Soc | None = find_setting("chip", argument).value
    return found


def device_chip() -> Soc:
    """The chip of kernels and devices, which have no operator to ask."""
    return chosen_chip() or find_soc(DEFAULT_CHIP)


def chosen_quirks(argument: bool | None = None) -> bool:
    """Whether the originals' code is reproduced where it is wrong or undefined."""
    return bool(find_setting("quirks", argument).value)


def current_settings() -> Settings:
    """All settings.

    Raises:
        SettingError, UnknownSocError: one of them, wherever it comes from, cannot be.
    """
    found = {name: find_setting(name) for name in SETTINGS}
    origins = MappingProxyType({name: each.origin for name, each in found.items()})
    return Settings(**{name: each.value for name, each in found.items()}, origins=origins)


def variables(settings: Settings) -> dict[str, str]:
    """What the command line decided, as variables for the processes that this one starts.

    Not ``check``: what is found there would be nobody's.
    """
    values = {"chip": settings.chip and settings.chip.name, "quirks": int(settings.quirks), "engine": settings.engine}
    values |= {"seed": settings.seed, "precise": int(settings.precise), "saturate": int(settings.saturate)}
    decided = (name for name in values if settings.origins[name] is Origin.COMMAND_LINE)
    return {SETTINGS[name].variable: str(values[name]) for name in decided}


def _scopes() -> list[Scope]:
    """From the innermost session to the process."""
    return [*_PROCESS, *_sessions()][::-1]


def _sessions() -> Sequence[Scope]:
    """Of this thread or task, from the outermost."""
    return [scope for scope in _SESSIONS.get() if not scope.is_over]


def _checked(values: Mapping[str, Any], place: Callable[[Setting], str]) -> Mapping[str, Any]:
    names = {setting.argument: name for name, setting in SETTINGS.items()}
    pairs = [(names[argument], value) for argument, value in values.items() if value is not None]
    return MappingProxyType(
        {name: SETTINGS[name].check(SETTINGS[name], value, place(SETTINGS[name])) for name, value in pairs}
    )

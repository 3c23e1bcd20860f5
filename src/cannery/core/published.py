"""Names that the original packages publish: data with their source, and what stands for those that cannery has not.

Reading a published name gives an object that says what it is when it is used. A name nobody publishes is an
``AttributeError``. So ``hasattr`` tells what the original has; ``dir`` tells what works here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, TypeVar

T = TypeVar("T", bound=type)


@dataclass(frozen=True)
class Published:
    """The content of a package's ``published.json``.

    Attributes:
        source: repository, paths and commit.
        names: what each module or class of the original publishes, by its full name.
    """

    source: str
    names: Mapping[str, frozenset[str]]

    def has(self, owner: str, name: str) -> bool:
        """Whether a module or class publishes a name."""
        return name in self.names.get(owner, ())


@cache
def published(package: str) -> Published:
    """What the original of a package of ours publishes; the file is in that package."""
    content = json.loads(files(package).joinpath("published.json").read_text(encoding="utf-8"))
    names = {owner: frozenset(line.split()) for owner, line in content["names"].items()}
    return Published(f"{content['source']} @{content['commit']}", names)


class AbsentError(NotImplementedError, AttributeError):
    """A member of what cannery has not. Also an AttributeError: many tools ask for members that may not be there."""


class Absent:
    """Stands for a function or class of the original.

    Raises:
        NotImplementedError: on a call, and where a member is asked for; it names what is missing.
    """

    def __init__(self, name: str, reason: str | Callable[[], str]) -> None:
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._absence = name, reason

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError(str(self))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AbsentError(f"{self._absence[0]}.{name}{self._why()}")

    def __mro_entries__(self, bases: Any) -> Any:
        raise NotImplementedError(str(self))

    def __enter__(self) -> Any:
        raise NotImplementedError(str(self))

    def __exit__(self, *failure: Any) -> None:
        """Never reached."""

    def __str__(self) -> str:
        return self._absence[0] + self._why()

    def __repr__(self) -> str:
        return f"<{self}>"

    def _why(self) -> str:
        reason = self._absence[1]
        return f" is not there in cannery: {reason if isinstance(reason, str) else reason()}"


def module_getattr(package: str, module: str, reason: str) -> Callable[[str], Any]:
    """``__getattr__`` of a module: published names are there and absent, others are an ``AttributeError``.

    Args:
        package: ours, which stands for the first word of ``module``.
        module: the original's name of the module.
    """
    place = package + module.removeprefix(module.partition(".")[0])

    def get(name: str) -> Any:
        if not published(package).has(module, name):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if _is_module(place, name):  # one of ours that nobody has imported yet
            return import_module(f"{place}.{name}")
        return Absent(f"{module}.{name}", reason)

    return get


def _is_module(place: str, name: str) -> bool:
    return hasattr(sys.modules[place], "__path__") and find_spec(f"{place}.{name}") is not None


def with_published(package: str, owner: str, reason: str) -> Callable[[T], T]:
    """Give a class the members of its original that it has not: each says so when it is called."""

    def complete(cls: T) -> T:
        for name in published(package).names[owner]:
            if not hasattr(cls, name):
                setattr(cls, name, Absent(f"{cls.__name__}.{name}", reason))
        return cls

    return complete

"""The operators there are: what the entry-point group ``cannery.operators`` names, and what a program registers.

An entry point is an ``Operator``, an iterable of them, or a function that returns one.
"""

from __future__ import annotations

import copyreg
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from threading import RLock, local
from typing import Any

from cannery.operator.context import Operator

GROUP = "cannery.operators"
OURS = "cannery.ops:operators"
Follower = Callable[[Operator], None]


class UnknownOperatorError(ValueError):
    """No operator has that name; the message lists the nearest ones."""


class Registry(Mapping[str, Operator]):
    """Operators by CANN's type, sorted by it. Entry points are loaded when it is first looked into.

    Loading one may import a package that looks in here itself: it finds what is there by then.
    """

    def __init__(self) -> None:
        self._operators: dict[str, Operator] = {}
        self._entries: dict[str, EntryPoint] = {}
        self._followers: list[Follower] = []
        self._lock = RLock()
        self._is_loaded = False
        self._loading = local()

    def __getitem__(self, name: str) -> Operator:
        return self._known()[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The operator of that type, or ``default``."""
        return self._known().get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def add(self, operator: Operator) -> None:
        """Add an operator for as long as the process lives.

        Raises:
            TypeError: it is no Operator.
            ValueError: there is one of that type, or that snake name.
        """
        if not isinstance(operator, Operator):
            raise TypeError(f"operator: found {type(operator).__name__}, expected cannery.operator.Operator")
        self._known()
        with self._lock:
            if self._namesake(operator) is not None:
                raise ValueError(f"operator: found {operator.name}, which is already there, expected a new name")
            self._put(operator)

    def follow(self, follower: Follower) -> None:
        """Call a function with each operator there is, and with each that is added later.

        What it raises is warned about: a face that cannot offer an operator must not take the others along.
        """
        self._known()
        with self._lock:
            for operator in list(self._operators.values()):
                _tell(follower, operator)
            self._followers.append(follower)

    def _known(self) -> dict[str, Operator]:
        if not self._is_loaded and not getattr(self._loading, "has_begun", False):
            self._load()
        return self._operators

    def _load(self) -> None:
        """Load every entry point; after an interrupt the next look-up begins again.

        Not under the lock: an import waits for the thread that imports the same package, which may look in here.
        """
        self._loading.has_begun = True
        try:
            for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.value != OURS, e.name)):
                for operator in _load(entry):
                    self._take(entry, operator)
        finally:
            self._loading.has_begun = False
        self._is_loaded = True

    def _take(self, entry: EntryPoint, operator: Operator) -> None:
        """Put what an entry point names, unless another has the name; a second thread may bring the same."""
        with self._lock:
            known = self._namesake(operator)
            if known is None:
                self._entries[operator.name] = entry
                self._put(operator)
            elif known is not operator and self._entries.get(known.name) != entry:
                warnings.warn(f"operator {operator.name} of {entry.value} is already there: left out", stacklevel=5)

    def _namesake(self, operator: Operator) -> Operator | None:
        """The one that has its type or its snake name."""
        names = {operator.name, operator.definition.snake_name}
        known = self._operators.values()
        return next((each for each in known if not names.isdisjoint((each.name, each.definition.snake_name))), None)

    def _put(self, operator: Operator) -> None:
        self._operators = dict(sorted({**self._operators, operator.name: operator}.items()))
        for follower in self._followers:
            _tell(follower, operator)


def _tell(follower: Follower, operator: Operator) -> None:
    try:
        follower(operator)
    except Exception as failure:
        warnings.warn(f"operator {operator.name} is left out of {follower.__module__}: {failure}", stacklevel=4)


@cache
def all_operators() -> Registry:
    """Every operator by CANN's type, sorted by it. A broken third-party entry point is warned about and left out."""
    return Registry()


def register_operator(operator: Operator) -> None:
    """Make an operator known to every face of this process, as an entry point does for all processes.

    Raises:
        TypeError: it is no Operator.
        ValueError: there is one of that name.
    """
    all_operators().add(operator)


def find_operator(name: str) -> Operator:
    """The operator of that CANN type ("UpdateTensorDesc"), snake name or ATB name ("…Operation").

    Raises:
        UnknownOperatorError: there is none.
    """
    operators = all_operators()
    if not isinstance(name, str):
        raise UnknownOperatorError(f"operator: found {name!r}, expected a name such as 'UpdateTensorDesc'")
    found = operators.get(name) or operators.get(name.removesuffix("Operation"))
    if found is not None:
        return found
    by_snake = {operator.definition.snake_name: operator for operator in operators.values()}
    if name in by_snake:
        return by_snake[name]
    nearest = get_close_matches(name, [*operators, *by_snake], n=3, cutoff=0.4)
    hint = f"the nearest are {', '.join(nearest)}" if nearest else "cannery ops lists them"
    raise UnknownOperatorError(f"operator: found {name!r}, expected a known one; {hint}")


def _by_name(operator: Operator) -> tuple[Callable[[str], Operator], tuple[str]]:
    """An operator is pickled as a function is: by its name, which the other process looks up."""
    if all_operators().get(operator.name) is not operator:
        raise pickle.PicklingError(
            f"operator {operator.name}: found one that is not registered, expected one of an entry point of {GROUP}"
        )
    return find_operator, (operator.name,)


copyreg.pickle(Operator, _by_name)


def _load(entry: EntryPoint) -> Iterable[Operator]:
    try:
        return _as_operators(entry.load())
    except KeyboardInterrupt:
        raise
    except BaseException as failure:  # sys.exit of a package must not end whoever looks up an operator
        if entry.value == OURS:
            raise
        what = f"{type(failure).__name__}: {failure}"
        warnings.warn(f"entry point {entry.name} = {entry.value} of {GROUP} was left out: {what}", stacklevel=3)
        return ()


def _as_operators(loaded: Any) -> tuple[Operator, ...]:
    if callable(loaded):
        loaded = loaded()
    operators = (loaded,) if isinstance(loaded, Operator) else tuple(loaded)
    stranger = next((item for item in operators if not isinstance(item, Operator)), None)
    if stranger is not None:
        raise TypeError(f"found {type(stranger).__name__}, expected cannery.operator.Operator")
    return operators

"""Parameter classes with snake_case members, derived from the definitions; and those this package does not have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from cannery.atb.params import atb_operators, find_class
from cannery.core.published import AbsentError, published
from cannery.operator import Attribute

_PACKAGE = "cannery.atb.torch_atb"
# Of `include/atb/train_op_params.h`; the original does not bind these.
_TRAIN = frozenset({"LaserAttentionParam", "LaserAttentionGradParam"})


class Param:
    """A parameter. Members are read and set by their snake_case names; lists are copied both ways.

    There are no other members: a name that is misspelt is an ``AttributeError``.
    """

    __slots__ = ("_param",)
    _names: ClassVar[Mapping[str, str]] = {}
    _plain: ClassVar[type]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        values = dict(zip(self._names, args, strict=False))
        stranger = next((name for name in kwargs if name not in self._names or name in values), None)
        if stranger is not None or len(args) > len(self._names):
            found = stranger or f"{len(args)} arguments"
            raise TypeError(f"{type(self).__name__}: found {found}, expected {', '.join(self._names) or 'no argument'}")
        plain = {self._names[name]: value for name, value in (values | kwargs).items()}
        self._param = type(self)._plain(**{name: _copied(value) for name, value in plain.items()})

    def __repr__(self) -> str:
        """The class and its members as JSON, under the original's names."""
        members = {name: getattr(self._param, name) for name in self._names.values()}
        return type(self).__name__ + json.dumps(members, sort_keys=True, separators=(",", ":"), default=str)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._param == other._param

    __hash__ = None  # type: ignore[assignment]

    @property
    def plain(self) -> Any:
        """The parameter structure as ``cannery.atb`` has it."""
        return self._param


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, (list, tuple)) else value


def _member(name: str, doc: str) -> property:
    def get(self: Param) -> Any:
        return _copied(getattr(self._param, name))

    def put(self: Param, value: Any) -> None:
        setattr(self._param, name, _copied(value))

    return property(get, put, doc=doc)


def param_class(name: str) -> type[Param]:
    """The parameter class of that name."""
    plain = find_class(name)
    assert plain is not None, name
    return _class_over(plain, atb_operators()[name].definition.attributes)


@cache
def _class_over(plain: type, every: tuple[Attribute, ...]) -> type[Param]:
    """A class over a parameter structure."""
    name, attributes = plain.__name__, [attr for attr in every if not attr.internal]
    members = {attr.snake_name: _member(attr.name, f"{attr.doc} {attr.limits}.") for attr in attributes}
    names = {attr.snake_name: attr.name for attr in attributes}
    space = {"__doc__": plain.__doc__, "__module__": "torch_atb", "__slots__": (), "_names": names, "_plain": plain}
    return type(name, (Param,), {**space, **members})


class _AbsentType(type):
    """Classes and enumerations inside an absent class are absent as well; members of enumerations say so at once."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if published(_PACKAGE).has(f"torch_atb.{cls.__qualname__}", name):
            return absent_class(f"{cls.__qualname__}.{name}")
        raise AbsentError(str(_absence(f"{cls.__qualname__}.{name}")))


def is_absent(name: str) -> bool:
    """Whether the original has a class of that name, and this package has not."""
    return published(_PACKAGE).has("torch_atb", name) or name in _TRAIN


@cache
def absent_class(name: str) -> type:
    """A class that can be imported, and says what it is when it is used."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise _absence(name)

    space = {"__init__": refuse, "__module__": "torch_atb", "__qualname__": name, "__doc__": str(_absence(name))}
    return _AbsentType(name.rpartition(".")[2], (), space)


def _absence(name: str) -> NotImplementedError:
    ours = ", ".join(atb_operators())
    return NotImplementedError(f"torch_atb.{name}: found an operator that is not provided, expected one of {ours}")

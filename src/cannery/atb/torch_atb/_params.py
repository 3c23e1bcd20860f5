"""Parameter classes with snake_case members, derived from the definitions; and those this package does not have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from cannery.atb.params import atb_operators, param_classes
from cannery.operator import Attribute

# Classes and enumerations of the original that belong to operators which are not provided.
_OTHERS = """
    LayerNorm Elewise Linear Softmax SelfAttention PagedAttention Rope Split Gather Activation RmsNorm AllGather
    AsStrided Cumsum DynamicNTK Multinomial Concat Slice Transpose Gating ReshapeAndCache Fill RazorFusionAttention
    AllReduce Broadcast ReduceScatter ReduceScatterV FaUpdate LinearParallel LinearSparse RelayAttention
    TopkToppSampling AllToAll
"""
OTHER_PARAMS = frozenset(f"{name}Param" for name in _OTHERS.split())
OTHER_TRAIN_PARAMS = frozenset({"LaserAttentionParam", "LaserAttentionGradParam"})
OTHER_ENUMS = frozenset({"InputLayout", "QuantType", "DynamicQuantType", "ActivationType", "CommMode"})


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
    return _class_over(param_classes()[name], atb_operators()[name].definition.attributes)


@cache
def _class_over(plain: type, every: tuple[Attribute, ...]) -> type[Param]:
    """A class over a parameter structure."""
    name, attributes = plain.__name__, [attr for attr in every if not attr.internal]
    members = {attr.snake_name: _member(attr.name, f"{attr.doc} {attr.limits}.") for attr in attributes}
    names = {attr.snake_name: attr.name for attr in attributes}
    space = {"__doc__": plain.__doc__, "__module__": "torch_atb", "__slots__": (), "_names": names, "_plain": plain}
    return type(name, (Param,), {**space, **members})


class _AbsentType(type):
    """Nested enumerations of an absent class are absent as well."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _absence(f"{cls.__name__}.{name}")


def is_absent(name: str) -> bool:
    """Whether the original has a class of that name, and this package has not."""
    return name in OTHER_PARAMS | OTHER_TRAIN_PARAMS | OTHER_ENUMS


@cache
def absent_class(name: str) -> type:
    """A class that can be imported, and says what it is when it is used."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise _absence(name)

    return _AbsentType(name, (), {"__init__": refuse, "__module__": "torch_atb", "__doc__": str(_absence(name))})


def _absence(name: str) -> NotImplementedError:
    ours = ", ".join(param_classes())
    return NotImplementedError(f"torch_atb.{name}: found an operator that is not provided, expected one of {ours}")

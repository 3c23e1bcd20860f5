"""Python's values as C takes them, where acl and aclnn agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from types import MappingProxyType
from typing import Any

from cannery.runtime.prototype import Kind

LOW_64_BITS = (1 << 64) - 1


def to_address(value: Any) -> int:
    """An address or a handle: its low 64 bits.

    Raises:
        TypeError: it is no integer.
    """
    return index(value) & LOW_64_BITS


def to_float(value: Any) -> float:
    """A number.

    Raises:
        TypeError: it is none; a text that spells one is none either.
    """
    if isinstance(value, (str, bytes)):
        raise TypeError
    return float(value)


def to_text(value: Any) -> str:
    """A text.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, str):
        raise TypeError
    return value


def to_function(value: Any) -> Any:
    """A function that C calls back.

    Raises:
        TypeError: it cannot be called.
    """
    if not callable(value):
        raise TypeError
    return value


CONVERTERS: Mapping[Kind, Callable[[Any], Any]] = MappingProxyType(
    {
        Kind.INTEGER: index,
        Kind.ADDRESS: to_address,
        Kind.FLOAT: to_float,
        Kind.BOOL: bool,
        Kind.STRING: to_text,
        Kind.FUNCTION: to_function,
    }
)
"""What turns a value of each kind; a face puts its own in place of those that differ."""

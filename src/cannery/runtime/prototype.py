"""C prototypes as data: the headers, the C library and the Python spelling are derived from them.

A parameter is written as in C, with these additions::

    out void **devPtr               a value the call gives back: C passes a pointer, Python gets it in the result
    int64_t viewDims[viewDimsNum]   an array and its length: C passes two arguments, Python a list, or None for null
    int64_t stride[=viewDimsNum]    an array whose length is another parameter's
    out int64_t viewDims[n]         an array the call allocates with new[] and the caller deletes
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from cannery.runtime.constants import ENUMS

_OBJECTS = ("aclOpExecutor", "aclTensor", "aclScalar", "aclIntArray", "aclFloatArray", "aclBoolArray", "aclTensorList")
_OTHERS = ("aclScalarList", "aclDataBuffer", "aclTensorDesc", "aclrtStream", "aclrtEvent", "aclrtContext", "void")
_STRUCTS = ("aclrtExceptionInfo", "aclrtMallocConfig", "aclCANNPackageVersion", "aclrtPtrAttributes")
_STRUCTS_OF_DEVICES = ("aclrtUtilizationInfo",)
ADDRESS_TYPES = frozenset((*_OBJECTS, *_OTHERS, *_STRUCTS, *_STRUCTS_OF_DEVICES))
FUNCTION_TYPES = frozenset(("aclrtCallback", "aclrtExceptionInfoCallback"))
INTEGER_TYPES = frozenset(
    ("int", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "aclError", "aclnnStatus", "aclFloat16")
)
FLOAT_TYPES = frozenset(("float", "double"))


class Kind(Enum):
    """What Python passes for a parameter."""

    INTEGER = "int"
    ADDRESS = "int (an address or a handle)"
    FLOAT = "float"
    BOOL = "bool"
    STRING = "str"
    FUNCTION = "function"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Parameter:
    """A parameter.

    Attributes:
        type: C type of the value: for an output what the pointer points to, for an array an element.
        is_array: Python passes a list.
        length: the parameter that counts the array; it stands in Python's call only when C shares it (``is_counted``).
        is_counted: whether the length is a C parameter of its own right behind the array.
    """

    type: str
    name: str
    is_out: bool = False
    is_array: bool = False
    length: str = ""
    is_counted: bool = False

    @cached_property
    def kind(self) -> Kind:
        """What Python passes for it, or for an element of it."""
        return kind_of(self.type)

    @property
    def c(self) -> tuple[tuple[str, str], ...]:
        """Type and name of the one or two parameters C has for it."""
        if not self.is_array:
            return ((f"{self.type}{'' if self.type.endswith('*') else ' '}*" if self.is_out else self.type, self.name),)
        if self.is_out:
            return ((f"{self.type} **", self.name), ("uint64_t *", self.length))
        pointer = f"const {self.type}const *" if self.type.endswith("*") else f"const {self.type} *"
        return ((pointer, self.name), ("uint64_t", self.length)) if self.is_counted else ((pointer, self.name),)


@dataclass(frozen=True)
class Prototype:
    """A function of the C interface."""

    returns: str
    name: str
    parameters: tuple[Parameter, ...]

    @cached_property
    def returns_status(self) -> bool:
        """Whether it answers with a status, not with a value."""
        return self.returns in ("aclError", "aclnnStatus")

    @cached_property
    def inputs(self) -> tuple[Parameter, ...]:
        """What Python passes."""
        return tuple(parameter for parameter in self.parameters if not parameter.is_out)

    @cached_property
    def outputs(self) -> tuple[Parameter, ...]:
        """What Python gets back before the status."""
        return tuple(parameter for parameter in self.parameters if parameter.is_out)

    @property
    def c(self) -> str:
        """The declaration in C, without its semicolon."""
        pairs = [pair for parameter in self.parameters for pair in parameter.c]
        return f"{_joined(self.returns, self.name)}({', '.join(_joined(*pair) for pair in pairs) or 'void'})"


def kind_of(c_type: str) -> Kind:
    """What Python passes for a value of a C type."""
    bare = c_type.replace("const", "").strip()
    base = bare.rstrip("* ")
    if base == "char":
        return Kind.STRING
    if bare == "void":
        return Kind.NOTHING
    if base in ADDRESS_TYPES:
        return Kind.ADDRESS
    if base in FUNCTION_TYPES:
        return Kind.FUNCTION
    if base in FLOAT_TYPES:
        return Kind.FLOAT
    if base == "bool":
        return Kind.BOOL
    if base in INTEGER_TYPES or base in ENUMS:
        return Kind.INTEGER
    raise ValueError(f"C type: found {c_type!r}, expected one that the tables of cannery.runtime name")


def parse(text: str) -> Prototype:
    """A prototype from its line, which is cut at parentheses and commas.

    Raises:
        ValueError: it is not a prototype, or has a type no table names.
    """
    returns, name, parameters = split_name(text)
    parts = [part.strip() for part in parameters.split(",") if part.strip() not in ("", "void")]
    kind_of(returns)
    return Prototype(returns, name, tuple(_parameter(part) for part in parts))


def split_name(text: str) -> tuple[str, str, str]:
    """Type, name and what stands between the parentheses of a declaration.

    Raises:
        ValueError: it is not one.
    """
    match = re.fullmatch(r"\s*(.+?)\s*(\w+)\s*\((.*)\)\s*", text, re.DOTALL)
    if match is None:
        raise ValueError(f"prototype: found {text!r}, expected 'type name(parameters)'")
    return match[1], match[2], match[3]


def _parameter(text: str) -> Parameter:
    is_out = text.startswith("out ")
    match = re.fullmatch(r"(.+?[\s*])(\w+)(?:\[(=?)(\w+)\])?", text.removeprefix("out "))
    if match is None:
        raise ValueError(f"parameter: found {text!r}, expected 'type name' or 'type name[length]'")
    c_type, name, shared, length = match.groups()
    c_type = re.sub(r"\s*\*", " *", c_type.strip()).replace("* *", "**")
    if is_out and not length:
        c_type = c_type.removesuffix("*").strip()
    kind_of(c_type)
    return Parameter(c_type, name, is_out, bool(length), length or "", bool(length) and not shared)


def _joined(c_type: str, name: str) -> str:
    return f"{c_type}{name}" if c_type.endswith("*") else f"{c_type} {name}"


_ZEROS = {Kind.FLOAT: 0.0, Kind.STRING: None, Kind.BOOL: False}


def zeros(parameters: Sequence[Parameter]) -> tuple[Any, ...]:
    """What a call that failed gives for its outputs."""
    return tuple([] if parameter.is_array else _ZEROS.get(parameter.kind, 0) for parameter in parameters)

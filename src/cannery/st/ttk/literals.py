"""The cells of a case file: Python literals, read without ever evaluating code.

Beyond what ``ast.literal_eval`` reads, case files hold arithmetic (``2**31 - 1``, ``[1] * 5``), ``inf`` and ``nan`` in
their spellings (``float("inf")``, ``np.nan``), and bare words (``float16``, ``ELEWISE``), which are strings.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

# What a cell may grow to, counted before it is built. Case files write exponents and repetitions; none needs more.
MAX_BITS = 4096
MAX_ITEMS = 1_000_000

_NAMES: Mapping[str, Any] = MappingProxyType({"inf": math.inf, "nan": math.nan, "Inf": math.inf, "NaN": math.nan})
_MODULES = ("np", "numpy", "math", "torch")
_CASTS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"float": float, "int": int, "bool": bool, "tuple": tuple, "list": list, "complex": complex}
)


def parse_literal(text: str) -> Any:
    """The value a cell spells.

    Raises:
        ValueError: it is not a literal, or too large a one.
    """
    try:
        return _Reader().value(ast.parse(text.strip(), mode="eval").body)
    except ValueError:
        raise
    except (SyntaxError, TypeError, ArithmeticError, RecursionError, MemoryError) as failure:
        raise ValueError(f"not a Python literal ({type(failure).__name__})") from None


class _Reader:
    """Reads one cell, and counts the items of all values made on the way."""

    def __init__(self) -> None:
        self._items = 0

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        reader = _READERS.get(type(node))
        if reader is None:
            raise ValueError(f"not a Python literal ({type(node).__name__})")
        made = reader(self, node)
        if isinstance(made, int) and made.bit_length() > MAX_BITS:
            raise ValueError(f"an integer of more than {MAX_BITS} bits")
        return made

    def constant(self, node: Any) -> Any:
        return node.value

    def sequence(self, node: Any) -> list[Any]:
        self._count(len(node.elts))
        return [self.value(item) for item in node.elts]

    def dictionary(self, node: Any) -> dict[Any, Any]:
        if None in node.keys:
            raise ValueError("not a Python literal (** in a dict)")
        self._count(len(node.keys))
        return {self.value(key): self.value(value) for key, value in zip(node.keys, node.values, strict=True)}

    def name(self, node: Any) -> Any:
        return _NAMES.get(node.id, node.id)

    def attribute(self, node: Any) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in _MODULES:
            return _NAMES.get(node.attr, node.attr)
        raise ValueError("not a Python literal (attribute)")

    def call(self, node: Any) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _CASTS or node.keywords:
            raise ValueError("not a Python literal (call)")
        arguments = [self.value(argument) for argument in node.args]
        self._count(_size(arguments))
        return _CASTS[name](*arguments)

    def unary(self, node: Any) -> Any:
        operand = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return -operand
        if isinstance(node.op, ast.UAdd):
            return +operand
        raise ValueError("not a Python literal (operator)")

    def binary(self, node: Any) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        function = _OPERATORS.get(type(node.op))
        if function is None:
            raise ValueError("not a Python literal (operator)")
        self._count(_growth(node.op, left, right))
        return function(left, right)

    def _count(self, items: int) -> None:
        self._items += items
        if self._items > MAX_ITEMS:
            raise ValueError(f"more than {MAX_ITEMS} items")


def _growth(sign: ast.operator, left: Any, right: Any) -> int:
    """Items that a sum or a repetition of sequences would have, those of their members included."""
    for items, other in ((left, right), (right, left)):
        if isinstance(items, _SEQUENCES) and isinstance(sign, ast.Mult) and isinstance(other, int):
            return _size(items) * max(other, 0)
        if isinstance(items, _SEQUENCES) and isinstance(sign, ast.Add):
            return _size(items) + _size(other)
    return 0


def _size(value: Any) -> int:
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return len(value) + sum(map(_size, value)) + sum(map(_size, value.values()))
    return len(value) + sum(map(_size, value)) if isinstance(value, (list, tuple, set)) else 0


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, (str, bytes)):
        raise ValueError("not a Python literal (formatting)")
    return left % right


def _power(base: Any, exponent: Any) -> Any:
    bits = base.bit_length() if isinstance(base, int) else 1
    if abs(exponent) * bits > MAX_BITS:
        raise ValueError(f"a power of more than {MAX_BITS} bits")
    return base**exponent


_SEQUENCES = (list, tuple, str, bytes)
_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: _modulo,
        ast.Pow: _power,
    }
)
_READERS: Mapping[type, Callable[[_Reader, Any], Any]] = MappingProxyType(
    {
        ast.Constant: _Reader.constant,
        ast.Tuple: lambda reader, node: tuple(reader.sequence(node)),
        ast.List: _Reader.sequence,
        ast.Set: lambda reader, node: set(reader.sequence(node)),
        ast.Dict: _Reader.dictionary,
        ast.Name: _Reader.name,
        ast.Attribute: _Reader.attribute,
        ast.Call: _Reader.call,
        ast.UnaryOp: _Reader.unary,
        ast.BinOp: _Reader.binary,
    }
)

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

# What a cell may grow to. Case files write exponents and repetitions; none needs more.
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
        ValueError: it is not a literal.
    """
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except ValueError:
        raise
    except (SyntaxError, TypeError, ArithmeticError, RecursionError, MemoryError) as failure:
        raise ValueError(f"not a Python literal ({type(failure).__name__})") from None


def _value(node: ast.expr) -> Any:
    reader = _READERS.get(type(node))
    if reader is None:
        raise ValueError(f"not a Python literal ({type(node).__name__})")
    return reader(node)


def _sequence(node: Any) -> list[Any]:
    return [_value(item) for item in node.elts]


def _dict(node: Any) -> dict[Any, Any]:
    if None in node.keys:
        raise ValueError("not a Python literal (** in a dict)")
    return {_value(key): _value(value) for key, value in zip(node.keys, node.values, strict=True)}


def _attribute(node: Any) -> Any:
    if isinstance(node.value, ast.Name) and node.value.id in _MODULES:
        return _NAMES.get(node.attr, node.attr)
    raise ValueError("not a Python literal (attribute)")


def _call(node: Any) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in _CASTS or node.keywords:
        raise ValueError("not a Python literal (call)")
    return _CASTS[name](*map(_value, node.args))


def _unary(node: Any) -> Any:
    operand = _value(node.operand)
    if isinstance(node.op, ast.USub):
        return -operand
    if isinstance(node.op, ast.UAdd):
        return +operand
    raise ValueError("not a Python literal (operator)")


def _binary(node: Any) -> Any:
    left, right = _value(node.left), _value(node.right)
    function = _OPERATORS.get(type(node.op))
    if function is None:
        raise ValueError("not a Python literal (operator)")
    return function(left, right)


def _multiply(left: Any, right: Any) -> Any:
    for items, times in ((left, right), (right, left)):
        if isinstance(items, (list, tuple, str)) and isinstance(times, int) and len(items) * times > MAX_ITEMS:
            raise ValueError(f"a repetition of more than {MAX_ITEMS} items")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, (str, bytes)):
        raise ValueError("not a Python literal (formatting)")
    return left % right


def _power(base: Any, exponent: Any) -> Any:
    bits = base.bit_length() if isinstance(base, int) else 1
    if abs(exponent) * bits > MAX_BITS:
        raise ValueError(f"a power of more than {MAX_BITS} bits")
    return base**exponent


_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: _multiply,
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: _modulo,
        ast.Pow: _power,
    }
)
_READERS: Mapping[type, Callable[[Any], Any]] = MappingProxyType(
    {
        ast.Constant: lambda node: node.value,
        ast.Tuple: lambda node: tuple(_sequence(node)),
        ast.List: _sequence,
        ast.Set: lambda node: set(_sequence(node)),
        ast.Dict: _dict,
        ast.Name: lambda node: _NAMES.get(node.id, node.id),
        ast.Attribute: _attribute,
        ast.Call: _call,
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
    }
)

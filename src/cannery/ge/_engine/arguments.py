"""What is asked of arguments, in the words of the original's errors; what was found is added.

Source: hicann/ge `api/python/ge/ge/{es/graph_builder,graph/graph,graph/node,graph/tensor_desc,session/session}.py`
@ffdcbc9f.
"""

from __future__ import annotations

from typing import Any, NoReturn

from cannery.core import DataType, Format

_WORDS = {bool: "a boolean", dict: "a dictionary", float: "a float", int: "an integer", list: "a list", str: "a string"}


def require(value: Any, kind: type, what: str) -> Any:
    """The value, when it is of that type; a bool is no integer.

    Raises:
        TypeError: "<what> must be <type>, found <value>".
    """
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise wrong(f"{what} must be {_WORDS.get(kind, f'a {kind.__name__}')}", value)
    return value


def wrong(expected: str, value: Any) -> TypeError:
    """A TypeError to raise."""
    return TypeError(f"{expected}, found {value!r:.80}")


def data_type(value: Any, what: str = "Data type must be a DataType") -> DataType:
    """The data type, also of a name or of another library's data type.

    Raises:
        TypeError: there is none.
    """
    try:
        return DataType.of(value)
    except ValueError:
        raise wrong(what, value) from None


def memory_format(value: Any, what: str = "Format must be a Format") -> Format:
    """The format, also of a name.

    Raises:
        TypeError: there is none.
    """
    try:
        return Format.of(value)
    except ValueError:
        raise wrong(what, value) from None


class NotCopied:
    """What is not copied: a second object for the same thing would be no copy."""

    def __copy__(self) -> NoReturn:
        raise RuntimeError(f"{type(self).__name__} does not support copy")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise RuntimeError(f"{type(self).__name__} does not support deepcopy")

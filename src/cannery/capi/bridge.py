"""The Python side of the C library: C arguments to Python values, results back through C's pointers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from cannery.capi.calls import PREFIX, every_call, plain
from cannery.core import AclnnStatus
from cannery.runtime import AclError, Call, RuntimeFault, process
from cannery.runtime.host import is_mapped
from cannery.runtime.prototype import Kind, Parameter

_SIZES = {"int64_t": 8, "float": 4, "bool": 1}
_POINTER_SIZE = 8
READY = f"{PREFIX}ready"
REFUSE = f"{PREFIX}refuse"


def connect(ffi: Any, lib: Any) -> None:
    """Let every function of the library do what its call does.

    The library has the operators there were when it was built: newer ones have no function there, and a function whose
    operator is not installed any more refuses.
    """
    calls = {f"{PREFIX}{call.name}": call for call in every_call()}
    for name in _entries(lib):
        call = calls.get(name)
        if call is None:
            ffi.def_extern(name=name, error=int(AclnnStatus.ACLNN_ERR_INNER))(partial(_refuse_absent, name))
            continue
        entry = Entry(ffi, lib, call)
        ffi.def_extern(name=name, error=entry.failure)(entry)
    ffi.def_extern(name=READY, error=False)(lambda: True)
    failure = int(AclError.ACL_ERROR_INTERNAL_ERROR)
    ffi.def_extern(name=REFUSE, error=failure)(lambda name: refuse(ffi.string(name).decode()))


def _entries(lib: Any) -> list[str]:
    """The functions of the library that Python does."""
    own = (READY, REFUSE, f"{PREFIX}new_int64")
    return [name for name in dir(lib) if name.startswith(PREFIX) and name not in own]


def refuse(function: str) -> int:
    """The status of a function that the original publishes and cannery has not."""
    expected = "one of the functions that the headers do not mark"
    code = AclError.ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    return process().report(RuntimeFault(code, function, "a function that cannery has not", expected))


def _refuse_absent(name: str, *arguments: Any) -> int:
    function = name.removeprefix(PREFIX)
    found, expected = "an operator that is not installed", "that of the build: install it, or build the library again"
    return process().report(RuntimeFault(AclnnStatus.ACLNN_ERR_INNER, function, found, expected))


class Entry:
    """A function that C calls.

    Attributes:
        failure: what it answers when it cannot even begin.
    """

    def __init__(self, ffi: Any, lib: Any, call: Call) -> None:
        self._ffi = ffi
        self._lib = lib
        self._call = call
        self.failure = _failure(ffi, call)
        self._readers = {kind: reader(ffi) for kind, reader in _READERS.items()}
        self._texts = threading.local()

    def __call__(self, *arguments: Any) -> Any:
        """Read the arguments, do it, write the outputs. Where the environment forbids a start, say so once and fail."""
        try:
            process()
        except ValueError as refusal:
            _say(str(refusal))
            return self.failure
        values, pointers = self._read(iter(arguments))
        null = next((name for name, pointer in pointers if pointer == self._ffi.NULL), None)
        if null is not None:
            return self._refuse_null(null)
        status, results = self._call.invoke(process(), values)
        if not self._call.prototype.returns_status:
            return self._value(results)
        if status == 0:
            self._write([pointer for _, pointer in pointers], results)
        return status

    def _read(self, arguments: Iterator[Any]) -> tuple[list[Any], list[tuple[str, Any]]]:
        """Values of the inputs; name and pointer of the outputs."""
        values: list[Any] = []
        pointers: list[tuple[str, Any]] = []
        lengths: dict[str, int] = {}
        for parameter in self._call.prototype.parameters:
            argument = next(arguments)
            if parameter.is_out:
                pointers.append((parameter.name, argument))
                pointers += [(parameter.length, next(arguments))] if parameter.is_array else []
                continue
            if parameter.is_counted:
                lengths[parameter.length] = next(arguments)
            values.append(self._value_of(parameter, argument, lengths))
            if parameter.kind is Kind.INTEGER:
                lengths[parameter.name] = argument
        return values, pointers

    def _value_of(self, parameter: Parameter, argument: Any, lengths: Mapping[str, int]) -> Any:
        if not parameter.is_array:
            return self._readers[parameter.kind](argument)
        return self._array(parameter, argument, max(0, lengths[parameter.length]))

    def _array(self, parameter: Parameter, pointer: Any, length: int) -> list[Any] | None:
        """The values; None for null, and for memory the process has not got. No length makes null an empty array."""
        if pointer == self._ffi.NULL:
            return [] if parameter.is_counted and not length else None
        size = length * _SIZES.get(parameter.type, _POINTER_SIZE)
        if size and not is_mapped(int(self._ffi.cast("uintptr_t", pointer)), size):
            return None
        read = self._readers[parameter.kind]
        return [read(value) for value in self._ffi.unpack(pointer, length)] if length else []

    def _write(self, pointers: list[Any], results: tuple[Any, ...]) -> None:
        targets = iter(pointers)
        for parameter, result in zip(self._call.prototype.outputs, results, strict=True):
            target = next(targets)
            if parameter.is_array:
                array = self._lib.cannery_new_int64(len(result))
                array[0 : len(result)] = result
                target[0], next(targets)[0] = array, len(result)
            else:
                target[0] = self._ffi.cast("void *", result) if parameter.kind is Kind.ADDRESS else result

    def _value(self, results: tuple[Any, ...]) -> Any:
        returns = plain(self._call.prototype.returns)
        if returns == "void":
            return None
        if returns == "const char *":
            return self._text(results[0] if results else None)
        value = results[0] if results else 0
        return self._ffi.cast("void *", value) if returns.endswith("*") else value

    def _text(self, text: str | None) -> Any:
        """A string that stays until this thread asks for another text."""
        if text is None:
            return self._ffi.NULL
        if getattr(self._texts, "text", None) != text:
            self._texts.text, self._texts.memory = text, self._ffi.new("char[]", text.encode())
        return self._texts.memory

    def _refuse_null(self, name: str) -> Any:
        code = self._call.code_for_null
        status = process().report(RuntimeFault(code, f"{self._call.name}: {name}", "null", "a place for the result"))
        return status if self._call.prototype.returns_status else _no_value(self._ffi, self._call)


def _failure(ffi: Any, call: Call) -> Any:
    if not call.prototype.returns_status:
        return _no_value(ffi, call)
    is_aclnn = call.prototype.returns == "aclnnStatus"
    return int(AclnnStatus.ACLNN_ERR_INNER if is_aclnn else AclError.ACL_ERROR_INTERNAL_ERROR)


@cache
def _say(line: str) -> None:
    """Print a line on stderr, once in a process: the program has no exception to read it from."""
    sys.stderr.write(f"cannery: {line}\n")
    sys.stderr.flush()


def _no_value(ffi: Any, call: Call) -> Any:
    """What a function without a status answers when it cannot answer."""
    returns = plain(call.prototype.returns)
    if returns == "void":
        return None
    return ffi.NULL if returns.endswith("*") else 0


def _read_address(ffi: Any) -> Callable[[Any], Any]:
    return lambda pointer: int(ffi.cast("uintptr_t", pointer))


def _read_string(ffi: Any) -> Callable[[Any], Any]:
    def read(pointer: Any) -> str | None:
        # Memory the process has not got counts as null, as it does for arrays.
        if not is_mapped(int(ffi.cast("uintptr_t", pointer)), 1):
            return None
        return str(ffi.string(pointer).decode("utf-8", "replace"))

    return read


def _read_function(ffi: Any) -> Callable[[Any], Any]:
    def read(pointer: Any) -> Any:
        if pointer == ffi.NULL:
            return None
        function = ffi.cast("void (*)(void *)", pointer)
        return lambda data: function(ffi.cast("void *", data))

    return read


def _read_number(ffi: Any) -> Callable[[Any], Any]:
    return lambda value: value


_READERS: Mapping[Kind, Callable[[Any], Callable[[Any], Any]]] = MappingProxyType(
    {
        Kind.ADDRESS: _read_address,
        Kind.STRING: _read_string,
        Kind.FUNCTION: _read_function,
        Kind.INTEGER: _read_number,
        Kind.FLOAT: _read_number,
        Kind.BOOL: _read_number,
    }
)

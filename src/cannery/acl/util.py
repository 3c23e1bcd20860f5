"""``acl.util``: addresses of what Python holds, and back.

Source: hicann/runtime `python/pyACL/util/{numpy_convert,bytes_convert,thread}.cpp` @134e2edb.
"""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cannery.runtime import AclError
from cannery.runtime.host import content

# numpy's type numbers, as NPY_… has them.
_NPY: Mapping[int, str] = MappingProxyType(
    {
        0: "?", 1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "i8", 8: "u8", 9: "i8", 10: "u8",
        11: "f4", 12: "f8", 14: "c8", 15: "c16", 23: "f2",
    }
)  # fmt: skip


def numpy_to_ptr(array: np.ndarray[Any, Any], /) -> int:
    """Address of an array's data; the caller keeps the array alive. Deprecated, as in the original.

    Raises:
        ValueError: not an array.
    """
    _check_array("numpy_to_ptr", array)
    warnings.warn("numpy_to_ptr is deprecated, use bytes_to_ptr", DeprecationWarning, stacklevel=2)
    if not array.flags.c_contiguous:
        warnings.warn("numpy_to_ptr: the array is not contiguous", RuntimeWarning, stacklevel=2)
    return int(array.__array_interface__["data"][0])


def numpy_contiguous_to_ptr(array: np.ndarray[Any, Any], /) -> tuple[int, np.ndarray[Any, Any]]:
    """Address of an array's data laid out in order, and the array that holds it, which must be kept.

    Raises:
        ValueError: not an array.
    """
    _check_array("numpy_contiguous_to_ptr", array)
    ordered = np.ascontiguousarray(array)
    return int(ordered.__array_interface__["data"][0]), ordered


def ptr_to_numpy(address: int, shape: tuple[int, ...], npy_type: int, /) -> np.ndarray[Any, Any]:
    """The memory there as an array of that shape; nothing is copied or owned.

    Raises:
        ValueError: null, or a type number numpy has not.
        TypeError: the shape is no tuple.
    """
    if npy_type not in _NPY:
        raise ValueError(f"acl.util.ptr_to_numpy: found type {npy_type}, expected one of {', '.join(map(str, _NPY))}")
    if not isinstance(shape, tuple):
        raise TypeError(f"acl.util.ptr_to_numpy args parse failed: found {type(shape).__name__}, expected a tuple")
    dtype = np.dtype(_NPY[npy_type])
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    _check_address("ptr_to_numpy", address)
    memory = memoryview((ctypes.c_char * size).from_address(address)).cast("B")
    return np.frombuffer(memory, dtype).reshape(shape)


def bytes_to_ptr(value: bytes, /) -> int:
    """Address of the bytes themselves, which the caller keeps alive.

    Raises:
        ValueError: not exactly bytes.
    """
    if type(value) is not bytes:
        raise ValueError(f"acl.util.bytes_to_ptr: found {type(value).__name__}, expected bytes")
    return int(ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value or 0)


def ptr_to_bytes(address: int, size: int, /) -> bytes:
    """A copy of the memory there.

    Raises:
        ValueError: null, or a negative size.
    """
    _check_address("ptr_to_bytes", address)
    if size < 0:
        raise ValueError(f"acl.util.ptr_to_bytes: found size {size}, expected at least 0")
    return content(address, size)


def start_thread(function: Any, arguments: list[Any], /) -> tuple[int, int]:
    """Call ``function(arguments)``, the list as one argument, in a new thread: (thread id, ret).

    Raises:
        TypeError: no function.
    """
    if not callable(function):
        found = type(function).__name__
        raise TypeError(f"acl.util.start_thread args parse failed: found {found}, expected a function")
    thread = threading.Thread(target=function, args=(arguments,), daemon=True)
    thread.start()
    return int(thread.ident or 0), int(AclError.ACL_SUCCESS)


def stop_thread(ident: int, /) -> int:
    """Wait for a thread to end."""
    for thread in threading.enumerate():
        if thread.ident == ident:
            thread.join()
    return int(AclError.ACL_SUCCESS)


def _check_array(name: str, value: object) -> None:
    if not isinstance(value, np.ndarray):
        raise ValueError(f"acl.util.{name}: found {type(value).__name__}, expected a numpy array")


def _check_address(name: str, address: object) -> None:
    if not isinstance(address, int):
        found = type(address).__name__
        raise TypeError(f"acl.util.{name} args parse failed: found {found}, expected an address")
    if address <= 0:
        raise ValueError(f"acl.util.{name}: found {address}, expected an address")

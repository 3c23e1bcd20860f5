"""Addresses are true: what is written behind Python's back is seen."""

import ctypes
import threading

import numpy as np
import pytest

from cannery.acl import util


def test_bytes_are_changed_through_their_address() -> None:
    content = np.zeros(4, np.int32).tobytes()
    ctypes.memmove(util.bytes_to_ptr(content), np.arange(4, dtype=np.int32).tobytes(), 16)
    assert np.frombuffer(content, np.int32).tolist() == [0, 1, 2, 3]
    assert util.ptr_to_bytes(util.bytes_to_ptr(content), 8) == content[:8]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_arrays_and_their_addresses() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    view = util.ptr_to_numpy(util.numpy_to_ptr(array), (2, 3), 11)
    view[1, 2] = 9
    assert array[1, 2] == 9 and view.dtype == np.float32


def test_numpy_to_ptr_warns_as_the_original_does() -> None:
    with pytest.warns(DeprecationWarning, match="bytes_to_ptr"):
        util.numpy_to_ptr(np.zeros(2))
    with pytest.warns(RuntimeWarning, match="not contiguous"), pytest.warns(DeprecationWarning):
        util.numpy_to_ptr(np.zeros((2, 2)).T[::2])


def test_a_contiguous_copy_is_handed_out_with_its_address() -> None:
    address, array = util.numpy_contiguous_to_ptr(np.arange(6).reshape(2, 3).T)
    assert array.flags.c_contiguous and address == array.ctypes.data
    assert array.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: util.numpy_to_ptr([1]), ValueError),  # type: ignore[arg-type]
        (lambda: util.bytes_to_ptr(bytearray(2)), ValueError),  # type: ignore[arg-type]
        (lambda: util.ptr_to_bytes(0, 2), ValueError),
        (lambda: util.ptr_to_bytes(64, -1), ValueError),
        (lambda: util.start_thread(3, []), TypeError),
        (lambda: util.ptr_to_bytes(None, 2), TypeError),  # type: ignore[arg-type]
        (lambda: util.ptr_to_numpy(64, (2,), 99), ValueError),
        (lambda: util.ptr_to_numpy(64, [2], 11), TypeError),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_array_bytes_or_address_is_refused(call: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="expected"):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("number", "dtype"),
    [(0, "bool"), (1, "int8"), (2, "uint8"), (5, "int32"), (7, "int64"), (9, "int64"), (23, "float16")],
)
def test_numpy_s_type_numbers(number: int, dtype: str) -> None:
    content = bytes(16)
    assert util.ptr_to_numpy(util.bytes_to_ptr(content), (2,), number).dtype == np.dtype(dtype)


def test_a_thread_gets_its_list_as_one_argument() -> None:
    seen: list[object] = []
    ident, ret = util.start_thread(lambda args: seen.append((args, threading.get_ident())), [1, 2])
    assert ret == 0 and util.stop_thread(ident) == 0
    assert seen == [([1, 2], ident)]

"""How calls are read: overloads as pyasc binds them, and what is said of arguments that no overload takes."""

import copy
import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.watch import session

F = asc.float32
CALC = asc.TPosition.VECCALC


def tensor(slot: int = 0, dtype: Any = F) -> asc.LocalTensor:
    return asc.LocalTensor(dtype, CALC, slot * 1024, 1024 // dtype.sizeof())


@asc.jit
def calling(x: asc.GlobalAddress, call: asc.ConstExpr[Any]) -> None:
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    call(gm)


def run(call: Callable[[Any], Any]) -> np.ndarray[Any, Any]:
    x = np.arange(64, dtype=np.float32)
    calling[1](x, call)
    return x


@pytest.mark.parametrize("call", [
    lambda *t: asc.adds(*t, 1.0, 8),
    lambda *t: asc.adds(*t, 1.0, count=8),
    lambda *t: asc.adds(*t, 1.0, 8, repeat_times=1, repeat_params=asc.UnaryRepeatParams()),
    lambda *t: asc.adds(*t, 1.0, mask=8, repeat_times=1, repeat_params=asc.UnaryRepeatParams()),
    lambda *t: asc.adds(*t, 1.0, [0xFF, 0], 1, asc.UnaryRepeatParams()),
    lambda *t: asc.adds(*t, 1.0, [0xFF, 0], repeat_times=1, repeat_params=asc.UnaryRepeatParams()),
])  # fmt: skip
def test_positions_mean_what_the_overload_says(call: Callable[..., None]) -> None:
    def body(gm: Any) -> None:
        t = tensor()
        asc.data_copy(t, gm, count=64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        call(t, t)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(gm, t, count=64)

    with session():
        np.testing.assert_array_equal(run(body), np.arange(64) + (np.arange(64) < 8))


odd: Any = asc  # calls that a type checker would refuse
UNBOUND = asc.GlobalTensor()
ODD: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "no count": (lambda g: asc.data_copy(tensor(), g), TypeError, "data_copy: found no count"),
    "None": (lambda g: asc.data_copy(tensor(), g, None), TypeError, "data_copy: found None, expected a count"),
    "float": (lambda g: asc.data_copy(tensor(), g, 8.0), TypeError, "data_copy: found 8.0, expected a count"),
    "keyword": (lambda g: asc.data_copy(tensor(), g, size=8), TypeError, "data_copy: found argument size"),
    "array": (lambda g: odd.data_copy(tensor(), np.zeros(8), 8), TypeError, "src: found ndarray, expected a GlobalT"),
    "global in a vector call": (
        lambda g: asc.add(tensor(), tensor(1), g, 8), TypeError, "add: src1: found GlobalTensor, expected a LocalTensor"
    ),
    "number as a tensor": (lambda g: odd.add(tensor(), tensor(1), 1.0, 8), TypeError, r"add: src1: found float 1\.0"),
    "reduction": (lambda g: asc.whole_reduce_sum(g, tensor(), 8, 1, 1, 1, 8), TypeError, "dst: found GlobalTensor"),
    "cast": (lambda g: odd.cast(tensor(), 3, asc.RoundMode.CAST_RINT, 8), TypeError, "cast: src: found int 3"),
    "duplicate": (lambda g: asc.duplicate(g, 1.0, 8), TypeError, "duplicate: dst: found GlobalTensor"),
    "fields": (lambda g: asc.duplicate(tensor(), 1.0, 8, 1), TypeError, "duplicate: found no dst_block_stride"),
    "no arguments": (lambda g: asc.adds(tensor(), tensor(), 1.0), TypeError, "adds: found no count"),
    "twice": (lambda g: asc.adds(tensor(), tensor(), 1.0, 8, count=8), TypeError, "found argument count"),
    "pad": (lambda g: asc.data_copy_pad(tensor(), g, 8), TypeError, "data_copy_params: found int"),
    "unbound copy": (lambda g: asc.data_copy(tensor(), UNBOUND, 8), RuntimeError, "without memory, .*set_global"),
    "unbound value": (lambda g: UNBOUND.get_value(0), RuntimeError, "get_value: .* without memory"),
    "unbound index": (lambda g: UNBOUND[8], RuntimeError, "tensor index: .* without memory"),
    "unbound address": (lambda g: UNBOUND.get_phy_addr(), RuntimeError, "get_phy_addr: .* without memory"),
    "unplaced": (
        lambda g: asc.adds(asc.LocalTensor(F), tensor(), 1.0, 8), RuntimeError, "adds: dst: .* without memory"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_arguments_that_no_form_takes_are_told_by_name(case: str) -> None:
    call, error, message = ODD[case]
    with pytest.raises(error, match=message):
        run(call)


def test_a_kernel_called_without_cores_says_how_to_launch() -> None:
    with pytest.raises(TypeError, match=r"set_global_buffer: found ndarray, .* launched as kernel\[cores\]"):
        calling(np.zeros(8, np.float32), print)


@pytest.mark.parametrize("other", [np.int32, np.float16, np.uint32])
def test_a_copy_converts_no_elements(other: Any) -> None:
    dtype = getattr(asc, np.dtype(other).name)
    params = asc.DataCopyExtParams(1, 32, 0, 0, 0)
    calls: list[Callable[[Any], None]] = [
        lambda g: asc.data_copy(tensor(0, dtype), g, 8),
        lambda g: asc.data_copy(g, tensor(0, dtype), 8),
        lambda g: asc.data_copy(tensor(0, dtype), tensor(1), 8),
        lambda g: asc.data_copy(tensor(0, dtype), g, repeat_params=asc.DataCopyParams(1, 1, 0, 0)),
        lambda g: asc.data_copy_pad(tensor(0, dtype), g, params),
        lambda g: asc.data_copy_pad(g, tensor(0, dtype), params),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"data_copy(_pad)?: found operands of .* expected one element type"):
            run(call)
    run(lambda g: asc.data_copy(tensor(0, dtype).reinterpret_cast(F), g, 8))


def test_a_data_type_by_its_name() -> None:
    dtype = asc.DataType("int32")
    assert dtype is asc.int32 and (dtype.kind, dtype.bitwidth, dtype.sizeof()) == ("Int", 32, 4)
    assert asc.DataType("uint64").is_unsigned() and asc.DataType("float16") == asc.half
    assert copy.deepcopy(dtype) is dtype and pickle.loads(pickle.dumps(dtype)) is dtype
    token = asc.DataType("token")
    assert token.bitwidth is None and not token.is_numeric() and str(token) == "token"
    with pytest.raises(ValueError, match="sizeof: found token"):
        token.sizeof()


def test_a_copy_of_a_wild_count_is_out_of_bounds_and_takes_no_memory() -> None:
    most = 2**31 - 8
    x = np.arange(64, dtype=np.float32)

    def body(gm: Any) -> None:
        asc.data_copy(tensor(), gm, most)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(gm, tensor(), most)

    tracemalloc.start()
    try:
        with session(check=True) as found:
            calling[1](x, body)
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()
    assert {finding.kind for finding in found.findings()} == {"OOB"}
    np.testing.assert_array_equal(x, np.arange(64))


def test_negative_places_are_refused() -> None:
    with pytest.raises(ValueError, match="LocalTensor: addr: found -32, expected 0 or more"):
        run(lambda g: asc.LocalTensor(F, CALC, -32, 8))
    with pytest.raises(ValueError, match="LocalTensor: tile_size: found -8, expected 0 or more"):
        run(lambda g: asc.LocalTensor(F, CALC, 0, -8))
    with pytest.raises(ValueError, match="set_addr_with_offset: found -8"):
        run(lambda g: tensor().set_addr_with_offset(tensor(), -8))

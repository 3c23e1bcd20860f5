"""Element types and field limits of instructions, against the documents' lists: written here a second time."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from cannery import asc
from cannery.isa.dtypes import BY_NUMPY
from cannery.isa.op import DAV_2201, DAV_3510
from cannery.isa.table import TABLE
from cannery.watch import session

A2, A5 = "Ascend910B1", "Ascend950PR_9589"
ARCHS = {DAV_2201: A2, DAV_3510: A5}

# Short names, as the documents have them in their lists: i, u, f with bits; bf.
NAMES = {"i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
         "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
         "bf": "bfloat16"}  # fmt: skip

# instruction: dav-2201; dav-3510; dav-3510 with a count only
ONE_TYPE = {
    "add sub max min": ("i16 f16 i32 f32", "i16 u16 f16 bf i32 u32 f32", "i8 u8 i64 u64"),
    "mul": ("i16 f16 i32 f32", "i16 u16 f16 bf i32 u32 f32", "i64 u64"),
    "div": ("f16 f32", "i16 u16 f16 i32 u32 f32", "i64 u64"),
    "bitwise_and bitwise_or": ("i16 u16", "i16 u16 i32 u32", "i8 u8 i64 u64"),
    "bitwise_not": ("i16 u16", "i16 u16 f16 i32 u32 f32", "i8 u8 i64 u64"),
    "shift_left shift_right": ("i16 u16 i32 u32", "i16 u16 i32 u32", "i8 u8 i64 u64"),
    "add_relu sub_relu": ("i16 f16 f32", "i16 f16 f32", "i64 u64"),
    "fused_mul_add": ("f16 f32", "f16 bf f32", "i64 u64"),
    "fused_mul_add_relu mul_add_dst": ("f16 f32", "f16 f32", "i64 u64"),
    "abs": ("f16 f32", "i16 f16 i32 f32", "i8 i64"),
    "exp ln sqrt rsqrt leaky_relu": ("f16 f32", "f16 f32", ""),
    "reciprocal": ("f16 f32", "f16 f32", "i64 u64"),
    "relu": ("f16 i32 f32", "f16 i32 f32", "i64"),
    "adds maxs mins": ("i16 f16 i32 f32", "i16 f16 bf i32 f32", "i8 u8 i64 u64"),
    "muls": ("i16 f16 i32 f32", "i16 f16 bf i32 f32", "i64 u64"),
    "compare": ("f16 f32 i32", "i16 u16 f16 bf i32 u32 f32", "i8 u8 i64 u64 f64"),
    "compare_scalar": ("f16 f32 i32", "i16 u16 f16 bf i32 u32 f32", "i8 u8 i64 u64 f64"),
    "select": ("f16 f32", "i16 u16 f16 bf i32 u32 f32", "i8 u8 i64 u64"),
    "duplicate": ("i16 u16 f16 bf i32 u32 f32", "i16 u16 f16 bf i32 u32 f32", "i8 u8 i64 u64"),
    "brcb copy": ("i16 u16 f16 bf i32 u32 f32", "i8 u8 i16 u16 f16 bf i32 u32 f32 i64 u64", ""),
    "gather": ("i16 u16 f16 bf i32 u32 f32", "i16 u16 f16 bf i32 u32 f32 i64 u64", "i8 u8"),
    "transpose": ("i16 u16 f16", "i16 u16 f16", ""),
    "sort32 sort mrg_sort": ("f16 f32", "f16 f32", ""),
    "mrg_sort4 rp_sort16 proposal_concat proposal_extract": ("", "", ""),
    "gatherb": ("u16 u32", "i8 u8 i16 u16 f16 bf i32 u32 f32 i64 u64", ""),
    "scatter": ("", "i16 u16 f16 bf i32 u32 f32 i64 u64", "i8 u8"),
    "trans_data_to_5hd": ("i8 u8 i16 u16 f16 i32 u32 f32", "i8 u8 i16 u16 f16 bf i32 u32 f32", ""),
    "bilinear_interpolation": ("f16", "f16", ""),
    "block_reduce_sum block_reduce_max block_reduce_min pair_reduce_sum": ("f16 f32", "f16 f32", ""),
    "whole_reduce_max whole_reduce_min": ("f16 f32", "i16 u16 f16 i32 u32 f32", ""),
    "reduce_sum": ("f16 f32", "f16 f32 i32 u32", "i64 u64"),
    "reduce_max reduce_min": ("f16 f32", "i16 u16 f16 i32 u32 f32", "i64 u64"),
    "data_copy data_copy_pad": ("i8 u8 i16 u16 f16 bf i32 u32 f32 i64 u64 f64",) * 2 + ("",),
    "load_data": ("i8 u8 i16 u16 f16 bf i32 u32 f32",) * 2 + ("",),
    "init_const_value": ("i16 u16 f16 bf i32 u32 f32",) * 2 + ("",),
    "load_data_with_transpose": ("i8 u8 f16 bf i32 u32 f32",) * 2 + ("",),
    "adv.acos adv.acosh adv.asin adv.asinh adv.atan adv.atanh adv.ceil adv.cos adv.cosh adv.digamma adv.erf"
    " adv.erfc adv.exp adv.floor adv.frac adv.lgamma adv.log adv.round adv.sin adv.sinh adv.tan adv.tanh adv.trunc"
    " adv.rmsnorm": ("f16 f32", "f16 f32", ""),
    "adv.sign": ("f16 f32", "f16 f32 i64", ""),
    "adv.power": ("f16 f32 i32", "i8 u8 i16 u16 i32 u32 f16 bf f32", ""),
    "adv.xor": ("i16 u16", "i16 u16", ""),
    "set_atomic_add set_atomic_max set_atomic_min": ("i8 i16 f16 bf i32 f32",) * 2 + ("",),
}
# "destination source"
_DRAINED = "i8 f32, u8 f32, f16 f32, bf f32, f32 f32, i8 i32, u8 i32, f16 i32, i32 i32"
_PRODUCTS = (
    "f32 f16 f16, f32 bf bf, f32 f32 f32, i32 i8 i8, f32 f16 f16 f32, f32 bf bf f32, f32 f32 f32 f32, i32 i8 i8 i32"
)
_PACKED = (
    "i16 i16, u16 u16, f16 f16, bf bf, i32 i32, u32 u32, f32 f32, i16 i16 u16, u16 u16 u16, f16 f16 u16, bf bf u16,"
    "i32 i32 u32, u32 u32 u32, f32 f32 u32"
)
SEVERAL_TYPES = {
    "load_data_with_sparse": ("i8 i8 u8", "", ""),
    "mmad_with_sparse": ("i32 i8 i8", "", ""),
    "mmad": (_PRODUCTS, _PRODUCTS, ""),
    "fixpipe": (_DRAINED, f"{_DRAINED}, bf i32", ""),
    "adv.axpy": ("f16 f16, f32 f32, f32 f16",) * 2 + ("",),
    "adv.extract": ("f16 u32 f16, f32 u32 f32",) * 2 + ("",),
    "mul_cast": ("i8 f16 f16, u8 f16 f16", "i8 f16 f16, u8 f16 f16", "f32 i64 i64, i32 i64 i64"),
    "add_relu_cast sub_relu_cast": (
        "i8 f16 f16, i8 i16 i16, f16 f32 f32", "i8 f16 f16, i8 i16 i16, f16 f32 f32, f32 i64 i64", "i32 i64 i64"
    ),
    "add_deq_relu": ("f16 i32 i32",) * 2 + ("",),
    "cast_deq": ("f16 i32, i8 i16, u8 i16",) * 2 + ("",),
    "adv.quant": ("i8 f16, i8 f32",) * 2 + ("",),
    "adv.softmax": ("f16 f16 f16 f16, f32 f32 f32 f32, f16 f32 f32 f16",) * 2 + ("",),
    "gather_mask": (
        _PACKED, f"{_PACKED}, i8 i8, i8 i8 u8, u8 u8, u8 u8 u8", ""
    ),
    "axpy": ("f16 f16, f32 f32, f32 f16", "f16 f16, f32 f32, f32 f16, bf bf", "i64 i64, u64 u64"),
    "whole_reduce_sum repeat_reduce_sum": (
        "f16 f16, f32 f32", "f16 f16, f32 f32, i32 i32, u32 u32, i32 i16, u32 u16", ""
    ),
    "cast": (
        "f16 i8, f16 u8, f16 i16, f32 i16, f32 f16, i8 f16, u8 f16, i16 f16, i32 f16, f16 f32, f32 f32, i16 f32,"
        "i32 f32, i64 f32, f32 i32, i16 i32, i64 i32, i32 i64, f16 i32, f32 i64, f32 bf, bf f32, i32 bf",
        "i16 i8, f16 i8, i32 i8, u16 u8, f16 u8, u32 u8, u8 i16, f16 i16, i32 i16, u32 i16, f32 i16, u8 u16, u32 u16,"
        "i8 f16, u8 f16, i16 f16, bf f16, i32 f16, f32 f16, f16 bf, i32 bf, f32 bf, u8 i32, i16 i32, u16 i32, f16 i32,"
        "f32 i32, i64 i32, u8 u32, i16 u32, u16 u32, i16 f32, f16 f32, bf f32, i32 f32, f32 f32, i64 f32, i32 i64,"
        "f32 i64, f64 i64, bf f64, i32 f64, f32 f64, i64 f64",
        "",
    ),
}  # fmt: skip


def signatures(text: str, width: int) -> set[tuple[str, ...]]:
    rows = [part.split() for part in text.split(",")] if width == 0 else [[one] * width for one in text.split()]
    return {tuple(NAMES[one] for one in row) for row in rows if row}


ROWS = [
    (name, arch, texts, width)
    for table, width in ((ONE_TYPE, None), (SEVERAL_TYPES, 0))
    for names, texts in table.items()
    for name in names.split()
    for arch in ARCHS
]


@pytest.mark.parametrize(("name", "arch", "texts", "width"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_the_table_has_the_types_of_the_documents(name: str, arch: int, texts: Any, width: int | None) -> None:
    op = TABLE[name]
    assert op.types is not None and op.page
    found = {tuple(map(str, signature)) for signature in op.types[arch].modes}
    counted = {tuple(map(str, signature)) for signature in op.types[arch].counted}
    widths = {len(one) for one in found} if width is None else {0}
    text = texts[0] if arch == DAV_2201 else f"{texts[1]}{' ' if width is None else ', '}{texts[2]}"
    assert found == set().union(*[signatures(text.strip(", "), one) for one in widths])
    expected = "" if arch == DAV_2201 else texts[2]
    assert counted == set().union(*[signatures(expected, one) for one in widths])


def test_every_row_that_has_types_is_listed() -> None:
    listed = {name for table in (ONE_TYPE, SEVERAL_TYPES) for names in table for name in names.split()}
    assert listed == {name for name, op in TABLE.items() if op.types is not None}
    assert {name for name, op in TABLE.items() if not op.page} == {"get_value", "set_value"}


def on(chip: str, body: Callable[[], None]) -> None:
    """Run statements of a kernel."""

    @asc.jit
    def kernel() -> None:
        body()

    with session(soc=chip):
        kernel[1]()


def tensor(dtype: Any, slot: int = 0) -> asc.LocalTensor:
    return asc.LocalTensor(dtype, asc.TPosition.VECCALC, slot * 8192, 8192 // dtype.sizeof())


ALL = list(BY_NUMPY.values())
CALLS: dict[str, Callable[[Any], None]] = {
    "add": lambda t: asc.add(tensor(t), tensor(t, 1), tensor(t, 2), 32),
    "abs": lambda t: asc.abs(tensor(t), tensor(t, 1), 32),
    "relu": lambda t: asc.relu(tensor(t), tensor(t, 1), 32),
    "add_relu": lambda t: asc.add_relu(tensor(t), tensor(t, 1), tensor(t, 2), 32),
    "duplicate": lambda t: asc.duplicate(tensor(t), 1, 32),
    "brcb": lambda t: asc.brcb(tensor(t), tensor(t, 1), 1, asc.BrcbRepeatParams()),
    "copy": lambda t: asc.copy(tensor(t), tensor(t, 1), 16, 1, asc.CopyRepeatParams(1, 1, 8, 8)),
    "gather": lambda t: asc.gather(tensor(t), tensor(t, 1), tensor(asc.uint32, 2), 0, 1),
    "transpose": lambda t: asc.transpose(tensor(t), tensor(t, 1)),
    "select": lambda t: asc.select(
        tensor(t), tensor(asc.uint8, 1), tensor(t, 2), 1, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, 32
    ),
    "reduce_sum": lambda t: asc.reduce_sum(tensor(t), tensor(t, 1), tensor(t, 2), 32),
    "block_reduce_max": lambda t: asc.block_reduce_max(tensor(t), tensor(t, 1), 1, 16, 1, 1, 8),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("chip", [A2, A5])
def test_a_call_takes_the_tables_types_and_refuses_all_others(name: str, chip: str) -> None:
    arch = DAV_2201 if chip == A2 else DAV_3510
    types = TABLE[name].types
    assert types is not None
    allowed = {signature[0] for signature in types[arch].modes}
    for dtype in ALL:
        if dtype in allowed:
            on(chip, lambda dtype=dtype: CALLS[name](dtype))  # type: ignore[misc]
            continue
        with pytest.raises(TypeError, match=rf"{name}: found {dtype}, expected one of .* on {chip}"):
            on(chip, lambda dtype=dtype: CALLS[name](dtype))  # type: ignore[misc]


def test_types_that_only_the_form_with_a_count_has() -> None:
    a, b = asc.int8, asc.BinaryRepeatParams()
    on(A5, lambda: asc.add(tensor(a), tensor(a, 1), tensor(a, 2), 32))
    with pytest.raises(TypeError, match="add: found int8 with a mask and repeats, expected the form with a count"):
        on(A5, lambda: asc.add(tensor(a), tensor(a, 1), tensor(a, 2), 32, 1, b))


def test_helpers_of_other_types() -> None:
    half = asc.float16
    with pytest.raises(TypeError, match="gather: src_offset: found int32, expected uint32"):
        on(A2, lambda: asc.gather(tensor(half), tensor(half, 1), tensor(asc.int32, 2), 0, 1))
    with pytest.raises(TypeError, match="compare: dst: found int16, expected int8 or uint8"):
        on(A2, lambda: asc.compare(tensor(asc.int16), tensor(half, 1), tensor(half, 2), asc.CMPMODE.LT, 128))
    with pytest.raises(TypeError, match="select: sel_mask: found int8, expected uint16 or uint32 or uint64 or uint8"):
        on(A2, lambda: asc.select(
            tensor(half), tensor(asc.int8, 1), tensor(half, 2), 1.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, 32
        ))  # fmt: skip
    with pytest.raises(TypeError, match="reduce_sum: found operands of float16 and float32"):
        on(A2, lambda: asc.reduce_sum(tensor(half), tensor(half, 1), tensor(asc.float32, 2), 32))
    with pytest.raises(TypeError, match="axpy: found float16 from float32, expected one of float16 from float16"):
        on(A2, lambda: asc.axpy(tensor(half), tensor(asc.float32, 1), 1.0, 32))


F = asc.float32
COPY = asc.DataCopyParams
EXT = asc.DataCopyExtParams
P3 = asc.BinaryRepeatParams
P2 = asc.UnaryRepeatParams


def three(params: Any, repeats: int = 1, mask: Any = 64) -> Callable[[], None]:
    return lambda: asc.add(tensor(F), tensor(F, 1), tensor(F, 2), mask, repeats, params)


def two(params: Any) -> Callable[[], None]:
    return lambda: asc.adds(tensor(F), tensor(F, 1), 1.0, 64, 1, params)


def shift(dtype: Any, amount: int) -> Callable[[], None]:
    return lambda: asc.shift_left(tensor(dtype), tensor(dtype, 1), amount, 32)


def within(params: Any) -> Callable[[], None]:
    return lambda: asc.data_copy(tensor(F), tensor(F, 1), repeat_params=params)


REFUSED: dict[str, tuple[Callable[[], None], str]] = {
    "binary block stride": (three(P3(300, 1, 1, 8, 8, 8)), "dst_blk_stride: found 300, expected 0 to 255"),
    "binary repeat stride": (three(P3(1, 1, 1, 8, 8, 256)), "src1_rep_stride: found 256, expected 0 to 255"),
    "negative stride": (three(P3(1, 1, 1, 8, -8, 8)), "src0_rep_stride: found -8, expected 0 to 255"),
    "unary block stride": (two(P2(1, 65536, 8, 8)), "src_blk_stride: found 65536, expected 0 to 65535"),
    "unary repeat stride": (two(P2(1, 1, 256, 8)), "dst_rep_stride: found 256, expected 0 to 255"),
    "repeats": (three(P3(), 256), "repeat_times: found 256, expected 0 to 255"),
    "negative repeats": (three(P3(), -1), "repeat_times: found -1, expected 0 to 255"),
    "mask": (three(P3(), 1, 129), "mask: found 129, expected 0 to 128 lanes"),
    "negative mask": (three(P3(), 1, -1), "mask: found -1"),
    "mask word": (three(P3(), 1, [1 << 64, 0]), "mask: found .*, expected one or two words of 64 bits"),
    "mask words": (three(P3(), 1, [1, 1, 1]), "mask: found .*, expected one or two words of 64 bits"),
    "count": (lambda: asc.adds(tensor(F), tensor(F, 1), 1.0, -5), "adds: count: found -5, expected 0 to 2147483647"),
    "shift of 16 bits": (shift(asc.int16, 17), "scalar with int16: found 17, expected 0 to 16"),
    "shift of 32 bits": (shift(asc.uint32, 40), "scalar with uint32: found 40, expected 0 to 32"),
    "negative shift": (shift(asc.int32, -1), "scalar with int32: found -1, expected 0 to 32"),
    "block_count": (within(COPY(5000, 1, 0, 0)), "block_count: found 5000, expected 0 to 4095"),
    "block_len": (within(COPY(1, 65536, 0, 0)), "block_len: found 65536, expected 0 to 65535"),
    "gap": (within(COPY(1, 1, -1, 0)), "src_stride: found -1, expected 0 to 65535"),
    "dst_rep_stride": (
        lambda: asc.whole_reduce_sum(tensor(F), tensor(F, 1), 64, 1, 65536, 1, 8), "dst_rep_stride: found 65536"
    ),
    "duplicate": (lambda: asc.duplicate(tensor(F), 1.0, 64, 1, 1, 256), "dst_rep_stride: found 256, expected 0 to 255"),
    "copy": (
        lambda: asc.copy(tensor(F), tensor(F, 1), 64, 1, asc.CopyRepeatParams(1, 1, 4096, 8)),
        "dst_rep_stride: found 4096, expected 0 to 4095",
    ),
    "scalar barrier": (lambda: asc.pipe_barrier(asc.PipeID.PIPE_S), "pipe_barrier: pipe: found PIPE_S"),
    "another chip's pipe": (lambda: asc.pipe_barrier(asc.PipeID.PIPE_V2), "found PIPE_V2, expected a pipe of"),
    "event": (lambda: asc.set_flag(99, 0), "set_flag: event: found 99, expected a member of HardEvent"),
    "mode of a flag": (lambda: asc.cross_core_set_flag(0, 3, asc.PipeID.PIPE_V), "mode_id: found 3, expected 0, 1 or"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_field_values_beyond_their_limits_are_refused(case: str) -> None:
    call, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        on(A2, call)


@pytest.mark.parametrize(("field", "value", "error"), [
    (0, 4096, ValueError), (1, 2097152, ValueError), (2, -1, ValueError), (3, 2**32, ValueError), (1, 1.5, TypeError),
])  # fmt: skip
def test_fields_of_padded_copies(field: int, value: Any, error: type[Exception]) -> None:
    values: list[Any] = [1, 64, 0, 0]
    values[field] = value
    pads = (asc.DataCopyPadExtParams(F, True, 0, 0, 0), asc.DataCopyPadExtParams(F, True, 9, 0, 0))

    @asc.jit
    def kernel(x: asc.GlobalAddress, params: asc.ConstExpr[Any], pad: asc.ConstExpr[Any]) -> None:
        gm = asc.GlobalTensor()
        gm.set_global_buffer(x)
        asc.data_copy_pad(tensor(F), gm, params, pad)

    x = np.ones(64, np.float32)
    with pytest.raises(error, match=r"data_copy_pad: (block_count|block_len|src_stride|dst_stride): found"):
        kernel[1](x, EXT(*values), pads[0])
    with pytest.raises(ValueError, match="bytes of left_padding: found 36, expected 0 to 32"):
        kernel[1](x, EXT(1, 64, 0, 0), pads[1])


def test_what_is_within_limits_runs() -> None:
    for chip, amount in product((A2, A5), (0, 16)):
        on(chip, shift(asc.uint16, amount))
    on(A5, shift(asc.uint16, 40))
    on(A5, shift(asc.uint64, 63))
    on(A2, two(P2(1, 1, 255, 8)))
    on(A2, three(P3(), 1, 128))


def test_integers_of_the_later_chip() -> None:
    out: list[Any] = []

    def body() -> None:
        a, b, z = (tensor(asc.int32, slot) for slot in range(3))
        for place, (one, other) in enumerate([(7, 2), (-7, 2), (7, -2), (6, 3)]):
            a.set_value(place, one)
            b.set_value(place, other)
        asc.div(z, a, b, 4)
        out.extend(int(z.get_value(place)) for place in range(4))
        asc.bitwise_not(tensor(F, 2), tensor(F, 0), 4)
        out.append(int(tensor(asc.int32, 2).get_value(0)))

    on(A5, body)
    assert out == [3, -3, -3, 2, ~7]

"""The vector functions of ``asc.adv`` (hicann/pyasc `python/asc/language/adv` @cecba26ace65).

``temp_buffer``: bytes that the function may use; not given: what is free of UB behind the buffers of the TPipe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from cannery.asc.context import here
from cannery.asc.dtypes import float16, float32, int32
from cannery.asc.struct import Field, Struct
from cannery.asc.system import get_shape_size
from cannery.asc.tensors import LocalTensor, check_operands, core_of
from cannery.isa import normalise, sorting
from cannery.isa.advanced import PREFIX, ROWS
from cannery.isa.composite import Temporaries
from cannery.isa.limits import check_value
from cannery.isa.op import Op

__all__ = ["QuantConfig", "RmsNormTiling", "SoftmaxTiling", "concat", "extract", "quant", "rmsnorm", "softmax"]

Call = Callable[..., None]
_BY_NAME: Final = MappingProxyType({op.name: op for op in ROWS})
_LEVELS: Final = (0, 255)
Buffer = LocalTensor | None


@dataclass
class QuantConfig:
    """Counts of quant that are known when a kernel is compiled; 0: not given."""

    calc_count: int = 0
    offset_count: int = 0
    scale_count: int = 0
    work_local_size: int = 0


class SoftmaxTiling(Struct):
    """How softmax cuts its source; all 0: it finds out itself."""

    src_m: Any = Field(int32, 0)
    src_k: Any = Field(int32, 0)
    src_size: Any = Field(int32, 0)
    out_max_m: Any = Field(int32, 0)
    out_max_k: Any = Field(int32, 0)
    out_max_size: Any = Field(int32, 0)
    split_m: Any = Field(int32, 0)
    split_k: Any = Field(int32, 0)
    split_size: Any = Field(int32, 0)
    reduce_m: Any = Field(int32, 0)
    reduce_k: Any = Field(int32, 0)
    reduce_size: Any = Field(int32, 0)
    range_m: Any = Field(int32, 0)
    tail_m: Any = Field(int32, 0)
    tail_split_size: Any = Field(int32, 0)
    tail_reduce_size: Any = Field(int32, 0)


class RmsNormTiling(Struct):
    """How rmsnorm cuts its source; its lengths say the source's shape."""

    b_length: Any = Field(int32, 0)
    s_length: Any = Field(int32, 0)
    h_length: Any = Field(int32, 0)
    original_h_length: Any = Field(int32, 0)
    reciprocal_of_h_length: Any = Field(float32, 0.0)
    main_bsh_length: Any = Field(int32, 0)
    main_bs_length: Any = Field(int32, 0)
    main_bs_length_align: Any = Field(int32, 0)
    loop_round: Any = Field(int32, 0)
    input_tail_pos: Any = Field(int32, 0)
    tail_bsh_length: Any = Field(int32, 0)
    tail_bs_length: Any = Field(int32, 0)


def _temporaries(op: Op, buffer: Buffer, reuse: bool = False) -> Temporaries:
    if buffer is not None:
        check_operands(op.name, {"temp_buffer": buffer})
    return Temporaries(buffer, bool(reuse))


def _number(count: Any) -> int | None:
    return None if count is None else int(count)


def _one_input(op: Op) -> Call:
    """``f(dst, src, count=None, temp_buffer=None, is_reuse_source=False)``; without a count all of the source."""

    def call(
        dst: LocalTensor, src: LocalTensor, count: int | None = None, temp_buffer: Buffer = None,
        is_reuse_source: bool = False,
    ) -> None:  # fmt: skip
        core, temporaries = core_of(op, dst, src), _temporaries(op, temp_buffer, is_reuse_source)
        normalise.mathematics(core, here(), op, (dst, src), _number(count), temporaries)

    return call


def _two_inputs(op: Op) -> Call:
    """``f(dst, src0, src1, count=None, temp_buffer=None, is_reuse_source=False)``."""

    def call(
        dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int | None = None, temp_buffer: Buffer = None,
        is_reuse_source: bool = False,
    ) -> None:  # fmt: skip
        core, temporaries = core_of(op, dst, src0, src1), _temporaries(op, temp_buffer, is_reuse_source)
        normalise.mathematics(core, here(), op, (dst, src0, src1), _number(count), temporaries)

    return call


def _taylor(op: Op) -> Call:
    """``f(dst, src, count, taylor_expand_level, temp_buffer=None, is_reuse_source=False)``: exact at every level."""

    def call(
        dst: LocalTensor, src: LocalTensor, count: int, taylor_expand_level: int, temp_buffer: Buffer = None,
        is_reuse_source: bool = False,
    ) -> None:  # fmt: skip
        check_value(f"{op.name}: taylor_expand_level", taylor_expand_level, _LEVELS)
        core, temporaries = core_of(op, dst, src), _temporaries(op, temp_buffer, is_reuse_source)
        normalise.mathematics(core, here(), op, (dst, src), int(count), temporaries)

    return call


def _muls_add(op: Op) -> Call:
    """``f(dst, src, scalar, count=None, temp_buffer=None, is_reuse_source=False)``: dst += scalar · src."""

    def call(
        dst: LocalTensor, src: LocalTensor, scalar: Any, count: int | None = None, temp_buffer: Buffer = None,
        is_reuse_source: bool = False,
    ) -> None:  # fmt: skip
        core, temporaries = core_of(op, dst, src), _temporaries(op, temp_buffer, is_reuse_source)
        normalise.mathematics(core, here(), op, (dst, src), _number(count), temporaries, scalar)

    return call


_SHAPES: Final[Mapping[tuple[str, int], Callable[[Op], Call]]] = MappingProxyType(
    {("math", 2): _one_input, ("math", 3): _two_inputs, ("taylor", 2): _taylor, ("muls_add", 2): _muls_add}
)


def spelled(op: Op) -> Call:
    """A mathematical function of the table as a function of ``asc.adv``."""
    shape = _SHAPES[op.form, len(op.tensors)]
    call = shape(op)
    call.__name__ = call.__qualname__ = op.name.removeprefix(PREFIX)
    call.__doc__ = f"{op.name}: {shape.__doc__}"
    return call


CALLS: Final = MappingProxyType(
    {op.name.removeprefix(PREFIX): spelled(op) for op in ROWS if (op.form, len(op.tensors)) in _SHAPES}
)


def concat(dst: LocalTensor, src: LocalTensor, tmp: LocalTensor, repeat_time: int) -> None:
    """Prepare scores for sort: on these chips ``dst`` becomes ``src``, nothing is copied.

    Raises:
        TypeError: other element types than half and float.
    """
    del tmp
    check_value("adv.concat: repeat_time", repeat_time, _LEVELS)
    check_operands("adv.concat", {"src": src})
    if src.dtype not in (float16, float32):
        raise TypeError(f"adv.concat: src: found {src.dtype}, expected float16 or float32")
    dst.owner, dst.addr, dst.dtype, dst.size = src.owner, src.addr, src.dtype, src.size


def extract(dst_value: LocalTensor, dst_index: LocalTensor, src: LocalTensor, repeat_time: int) -> None:
    """Take records apart into scores and indices, 32 records a repeat."""
    op = _BY_NAME[f"{PREFIX}extract"]
    core = core_of(op, dst_value, dst_index, src)
    sorting.extract(core, here(), op, (dst_value, dst_index, src), int(repeat_time))


def quant(
    dst: LocalTensor, src: LocalTensor, scale: float, offset: float, count: int | None = None,
    temp_buffer: Buffer = None, reuse_source: bool = False, config: QuantConfig | None = None,
) -> None:  # fmt: skip
    """``dst = int8(src · scale + offset)``, computed in half whatever the source is; the result saturates."""
    op = _BY_NAME[f"{PREFIX}quant"]
    core = core_of(op, dst, src)
    number = int(config.calc_count) if config is not None and config.calc_count else _number(count)
    scaling = normalise.Scaling(float(scale), float(offset))
    temporaries = _temporaries(op, temp_buffer, reuse_source)
    normalise.quantise(core, here(), op, dst, src, scaling, number, temporaries)


def softmax(
    dst: LocalTensor, sum: LocalTensor, max: LocalTensor, src: LocalTensor, tiling: SoftmaxTiling,
    temp_buffer: Buffer = None, reuse_source: bool = False, basic_block: bool = False, data_format_nz: bool = False,
) -> None:  # fmt: skip
    """Softmax along the last dimension of ``src.set_shape_info``, or of the tiling's ``src_m``, ``src_k``.

    ``sum`` and ``max`` have a block of 32 bytes for each row, all elements the same. ``dst`` may be ``src``.

    Raises:
        NotImplementedError: rows filled up beyond the original shape, and the NZ format.
        ValueError: nobody says the source's shape, or its rows are no whole blocks.
    """
    del reuse_source, basic_block
    op = _BY_NAME[f"{PREFIX}softmax"]
    core = core_of(op, dst, sum, max, src)
    if data_format_nz:
        raise NotImplementedError(f"{op.name} with data_format_nz on {core.soc.name} is not simulated")
    buffer = _temporaries(op, temp_buffer).buffer
    normalise.softmax(core, here(), op, (dst, sum, max), src, _matrix(op, src, tiling), buffer)


def _matrix(op: Op, src: LocalTensor, tiling: SoftmaxTiling) -> tuple[int, int]:
    info = src.shape_info
    if info is None or info.shape is None:
        rows, columns = (int(getattr(tiling, name)) for name in ("src_m", "src_k"))
        if not rows * columns:
            raise ValueError(f"{op.name}: src: found no shape, expected src.set_shape_info(asc.ShapeInfo(…)) before")
        return rows, columns
    columns = int(info.shape[len(info.shape) - 1])
    original = info.original_shape
    if original is not None and int(original[len(original) - 1]) != columns:
        raise NotImplementedError(f"{op.name} with rows that are filled up to {columns} elements is not simulated")
    return get_shape_size(info) // columns if columns else 0, columns


def rmsnorm(
    dst: LocalTensor, src: LocalTensor, gamma: LocalTensor, epsilon: float, tiling: RmsNormTiling,
    temp_buffer: Buffer = None, basic_block: bool = False,
) -> None:  # fmt: skip
    """``dst = src · gamma / √(mean(src²) + epsilon)`` along the last dimension of the tiling's shape.

    Raises:
        ValueError: the tiling has no shape, or no reciprocal of the row's length.
    """
    del basic_block
    op = _BY_NAME[f"{PREFIX}rmsnorm"]
    core = core_of(op, dst, src, gamma)
    rows, columns = int(tiling.b_length) * int(tiling.s_length), int(tiling.h_length)
    for name in ("b_length", "s_length", "h_length", "reciprocal_of_h_length"):
        if not getattr(tiling, name):
            raise ValueError(f"{op.name}: tiling: found {name} 0, expected a tiling of the source's shape")
    original = int(tiling.original_h_length) or columns
    shape = normalise.Normalisation(rows, columns, original, float(tiling.reciprocal_of_h_length), float(epsilon))
    buffer = _temporaries(op, temp_buffer).buffer
    normalise.rmsnorm(core, here(), op, (dst, src, gamma), shape, buffer)

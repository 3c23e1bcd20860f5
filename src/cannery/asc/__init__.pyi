# ruff: noqa
"""Written by cannery.asc.stub."""

from typing import Any

from cannery.asc.aipp import *
from cannery.asc.auto import *
from cannery.asc.copies import *
from cannery.asc.cube import *
from cannery.asc.dtypes import *
from cannery.asc.enums import *
from cannery.asc.jit import *
from cannery.asc.lists import *
from cannery.asc.loops import *
from cannery.asc.loops import runtime_range as _range
from cannery.asc.numbers import *
from cannery.asc.params import *
from cannery.asc.queues import *
from cannery.asc.scalars import *
from cannery.asc.struct import *
from cannery.asc.struct import Array as _array
from cannery.asc.sync import *
from cannery.asc.system import *
from cannery.asc.system import machine_property as _property
from cannery.asc.tensors import *
from cannery.asc.tpipe import *
from cannery.asc.vector.blocks import *
from cannery.asc.vector.compare import *
from cannery.asc.vector.conversion import *
from cannery.asc.vector.masks import *
from cannery.asc.vector.movement import *
from cannery.asc.vector.params import *
from cannery.asc.vector.sorting import *
from cannery.asc.watchpoints import *

array = _array
property = _property
range = _range
adv: Any
basic: Any
core: Any
fwk: Any
language: Any
lib: Any
runtime: Any

def abs(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def add_deq_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def add_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def adds(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def axpy(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def bitwise_and(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def bitwise_not(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def bitwise_or(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def block_reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    repeat: int,
    mask: Any,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
) -> None: ...
def block_reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    repeat: int,
    mask: Any,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
) -> None: ...
def block_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat: int,
    mask: Any,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
) -> None: ...
def div(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def exp(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def fused_mul_add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def fused_mul_add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def leaky_relu(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def ln(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def max(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def maxs(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def min(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def mins(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def mul(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def mul_add_dst(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def mul_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def muls(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def pair_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: Any,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    is_set_mask: bool = ...,
) -> None: ...
def reciprocal(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def reduce_max(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any
) -> None: ...
def reduce_min(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any
) -> None: ...
def reduce_sum(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, *args: Any, **options: Any
) -> None: ...
def relu(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def repeat_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: Any,
    dst_blk_stride: int,
    src_blk_stride: int,
    dst_rep_stride: int,
    src_rep_stride: int,
    is_set_mask: bool = ...,
) -> None: ...
def rsqrt(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def shift_left(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def shift_right(dst: LocalTensor, src: LocalTensor, scalar: Any, *args: Any, **options: Any) -> None: ...
def sqrt(dst: LocalTensor, src: LocalTensor, *args: Any, **options: Any) -> None: ...
def sub(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def sub_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def sub_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, *args: Any, **options: Any) -> None: ...
def whole_reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Any,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ...,
    is_set_mask: bool = ...,
) -> None: ...
def whole_reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Any,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ...,
    is_set_mask: bool = ...,
) -> None: ...
def whole_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Any,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    is_set_mask: bool = ...,
) -> None: ...
def __getattr__(name: str) -> Any: ...

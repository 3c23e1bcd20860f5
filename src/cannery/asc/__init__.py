"""The kernel language, in pyasc's spelling, executed directly on the virtual AI core.

``import asc`` resolves to this package under ``cannery exec`` and ``import cannery.activate``. The names, signatures and
defaults are those of hicann/pyasc @cecba26ace65.
"""

from __future__ import annotations

import sys
from typing import Any

from cannery.asc import adv
from cannery.asc.copies import data_copy, data_copy_pad, set_pad_value
from cannery.asc.dtypes import (
    DataType,
    bfloat16,
    double,
    float16,
    float32,
    float64,
    float_,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from cannery.asc.enums import (
    CMPMODE,
    CacheLine,
    CacheMode,
    CacheRwMode,
    CubeFormat,
    DataFormat,
    DcciDst,
    GatherMaskMode,
    HardEvent,
    Hardware,
    MaskMode,
    MemDsbT,
    PipeID,
    ReduceOrder,
    RoundMode,
    SelMode,
    TPosition,
)
from cannery.asc.jit import CodegenOptions, CompileOptions, ConstExpr, JITFunction, LaunchOptions, jit
from cannery.asc.loops import runtime_range as range
from cannery.asc.loops import static_range
from cannery.asc.numbers import ceildiv, number
from cannery.asc.params import (
    BinaryRepeatParams,
    BrcbRepeatParams,
    CopyRepeatParams,
    DataCopyEnhancedParams,
    DataCopyExtParams,
    DataCopyPadExtParams,
    DataCopyPadParams,
    DataCopyParams,
    GatherMaskParams,
    GatherRepeatParams,
    ShapeInfo,
    SliceInfo,
    UnaryRepeatParams,
)
from cannery.asc.queues import TBuf, TQue, TQueBind
from cannery.asc.struct import Array as array
from cannery.asc.struct import Field, Struct, StructField
from cannery.asc.sync import (
    cross_core_set_flag,
    cross_core_wait_flag,
    data_cache_clean_and_invalid,
    data_cache_preload,
    data_sync_barrier,
    get_icache_preload_status,
    ib_set,
    ib_wait,
    icache_preload,
    notify_next_block,
    pipe_barrier,
    set_flag,
    sync_all,
    wait_flag,
    wait_pre_block,
)
from cannery.asc.system import (
    DEFAULT_C0_SIZE,
    ONE_BLK_SIZE,
    TOTAL_L0C_SIZE,
    TOTAL_L1_SIZE,
    ascend_is_aic,
    ascend_is_aiv,
    dump_tensor,
    get_block_idx,
    get_block_num,
    get_data_block_size_in_bytes,
    get_program_counter,
    get_shape_size,
    get_sub_block_idx,
    get_sub_block_num,
    get_system_cycle,
    get_task_ratio,
    printf,
    scalar_cast,
    static_assert,
    trap,
)
from cannery.asc.system import machine_property as property
from cannery.asc.tensors import GlobalAddress, GlobalTensor, LocalTensor
from cannery.asc.tpipe import LocalMemAllocator, TBufPool, TPipe, get_tpipe_ptr
from cannery.asc.unsimulated import BASIC, refuse
from cannery.asc.vector.compare import compare, compare_scalar, get_cmp_mask, select, set_cmp_mask
from cannery.asc.vector.conversion import cast, set_deq_scale
from cannery.asc.vector.elementwise import CALLS
from cannery.asc.vector.masks import (
    init_soc_state,
    reset_mask,
    set_atomic_add,
    set_atomic_max,
    set_atomic_min,
    set_atomic_none,
    set_atomic_type,
    set_mask_count,
    set_mask_norm,
    set_vector_mask,
)
from cannery.asc.vector.movement import brcb, copy, duplicate, transpose
from cannery.asc.vector.movement import gather_elements as gather
from cannery.asc.vector.reduce import (
    block_reduce_max,
    block_reduce_min,
    block_reduce_sum,
    pair_reduce_sum,
    reduce_max,
    reduce_min,
    reduce_sum,
    repeat_reduce_sum,
    whole_reduce_max,
    whole_reduce_min,
    whole_reduce_sum,
)

globals().update(CALLS)
# pyasc's submodules re-export the same names.
basic = core = fwk = sys.modules[__name__]

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("annotations", "Any", "BASIC", "CALLS", "sys")]


def __getattr__(name: str) -> Any:
    if name in BASIC:
        return refuse(f"asc.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

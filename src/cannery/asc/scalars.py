"""Scalar helpers, pointers that the system keeps, debugging output that has no effect on data
(hicann/pyasc `python/asc/language/basic/{scalar,common,dump_tensor,set_atomic}.py` @cecba26ace65).
"""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final

from cannery.asc.context import running
from cannery.asc.numbers import INTEGERS, Int64
from cannery.asc.system import dump_tensor
from cannery.asc.tensors import GlobalAddress, GlobalTensor, LocalTensor
from cannery.isa import dtypes
from cannery.isa.dtypes import DataType
from cannery.isa.masks import set_atomic
from cannery.isa.table import TABLE

__all__ = [
    "AtomicDtype", "AtomicOp", "BlockMode", "count_bits_cnt_same_as_sign_bit", "dump_acc_chk_point",
    "get_arch_version", "get_hccl_context", "get_store_atomic_config", "get_sys_workspace", "metrics_prof_start",
    "metrics_prof_stop", "pad_t", "print_time_stamp", "scalar_count_leading_zero", "scalar_get_count_of_value",
    "scalar_get_sff_value", "set_hccl_context", "set_store_atomic_config", "set_sys_workspace",
]  # fmt: skip

_BITS: Final = 64
_ALL: Final = 2**_BITS - 1
_Int16: Final = INTEGERS[dtypes.int16]


class AtomicDtype(IntEnum):
    """Element types of atomic copies."""

    ATOMIC_NONE = 0
    ATOMIC_F32 = 1
    ATOMIC_F16 = 2
    ATOMIC_S16 = 3
    ATOMIC_S32 = 4
    ATOMIC_S8 = 5
    ATOMIC_BF16 = 6


class AtomicOp(IntEnum):
    """What an atomic copy does."""

    ATOMIC_SUM = 0


class BlockMode(IntEnum):
    """Layouts of an output path of older chips."""

    BLOCK_MODE_NORMAL = 0
    BLOCK_MODE_MATRIX = 1
    BLOCK_MODE_VECTOR = 2
    BLOCK_MODE_SMALL_CHANNEL = 3
    BLOCK_MODE_DEPTHWISE = 4


_named: Any = IntEnum
pad_t: Any = _named("pad_t", {"PAD_NONE": 0, **{f"PAD_MODE{number}": number for number in range(1, 9)}})
"""Paddings of an output path of older chips."""

_ATOMIC: Final = MappingProxyType(
    {
        AtomicDtype.ATOMIC_F32: dtypes.float32, AtomicDtype.ATOMIC_F16: dtypes.float16,
        AtomicDtype.ATOMIC_S16: dtypes.int16, AtomicDtype.ATOMIC_S32: dtypes.int32, AtomicDtype.ATOMIC_S8: dtypes.int8,
        AtomicDtype.ATOMIC_BF16: dtypes.bfloat16,
    }
)  # fmt: skip


def set_store_atomic_config(atomic_type: AtomicDtype, atomic_op: AtomicOp) -> None:
    """Copies to global memory add to what is there from now on; ATOMIC_NONE: they overwrite again."""
    AtomicOp(atomic_op)
    registers = running().registers
    dtype: DataType | None = _ATOMIC.get(AtomicDtype(atomic_type))
    if dtype is None:
        registers.atomic_op = registers.atomic_dtype = None
        return
    set_atomic(running(), TABLE["set_atomic_add"], dtype)


def get_store_atomic_config() -> tuple[Any, Any]:
    """The element type, and the operation, of atomic copies."""
    dtype = running().registers.atomic_dtype
    found = next((one for one, each in _ATOMIC.items() if each is dtype), AtomicDtype.ATOMIC_NONE)
    return _Int16(found), _Int16(AtomicOp.ATOMIC_SUM)


def scalar_get_sff_value(value_in: int, count_value: int) -> Any:
    """The lowest bit of a uint64 that is ``count_value``, −1 where there is none."""
    bits = _ones(value_in, count_value)
    return Int64((bits & -bits).bit_length() - 1)


def scalar_get_count_of_value(value_in: int, count_value: int) -> Any:
    """How many bits of a uint64 are ``count_value``."""
    return Int64(_ones(value_in, count_value).bit_count())


def _ones(value: int, wanted: int) -> int:
    """The bits that are the wanted one, as ones.

    Raises:
        ValueError: it is neither 0 nor 1.
    """
    if int(wanted) not in (0, 1):
        raise ValueError(f"count_value: found {wanted}, expected 0 or 1")
    bits = int(value) & _ALL
    return bits if wanted else bits ^ _ALL


def scalar_count_leading_zero(value_in: int) -> Any:
    """Zeros in front of the highest one of a uint64; 64 of 0."""
    return Int64(_BITS - (int(value_in) & _ALL).bit_length())


def count_bits_cnt_same_as_sign_bit(value_in: int) -> Any:
    """How many bits behind the sign bit of an int64 are like it; −1 of 0 and of −1."""
    value = int(value_in) & _ALL
    if value in (0, _ALL):
        return Int64(-1)
    below = value ^ _ALL if value >> _BITS - 1 else value
    return Int64(_BITS - 1 - below.bit_length())


class _Pointers(dict[str, GlobalAddress]):
    """Addresses that a kernel has stored by name."""


def _pointers() -> _Pointers:
    state = running().state
    if _Pointers not in state:
        state[_Pointers] = _Pointers()
    found: _Pointers = state[_Pointers]
    return found


def _stored(name: str, setter: str) -> GlobalAddress:
    found = _pointers().get(name)
    if found is None:
        raise RuntimeError(f"{name}: found no address, expected {setter} before")
    return found


def set_sys_workspace(workspace: GlobalAddress) -> None:
    """Store the address of the system's workspace."""
    _pointers()["get_sys_workspace"] = workspace


def get_sys_workspace() -> GlobalAddress:
    """The address of the system's workspace.

    Raises:
        RuntimeError: none has been set.
    """
    return _stored("get_sys_workspace", "set_sys_workspace")


def set_hccl_context(index: int, context: GlobalAddress) -> None:
    """Store the address of a communication context."""
    _pointers()[f"get_hccl_context({int(index)})"] = context


def get_hccl_context(index: int) -> GlobalAddress:
    """The address of a communication context.

    Raises:
        RuntimeError: none has been set.
    """
    return _stored(f"get_hccl_context({int(index)})", "set_hccl_context")


def get_arch_version(core_version: int) -> None:
    """In C++ the version is stored into the argument; a Python number cannot take it."""
    del core_version


def dump_acc_chk_point(tensor: GlobalTensor | LocalTensor, index: int, count_off: int, dump_size: int) -> None:
    """As dump_tensor, from element ``count_off`` on."""
    dump_tensor(tensor[int(count_off)], index, dump_size)


def print_time_stamp(desc_id: int) -> None:
    """Without effect: the original prints only where it is compiled to."""
    del desc_id


def metrics_prof_start() -> None:
    """Without effect: a mark for the profiler."""


def metrics_prof_stop() -> None:
    """Without effect: a mark for the profiler."""

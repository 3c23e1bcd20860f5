"""Making, reading and destroying the objects of two-phase calls.

Source: hicann/opbase `include/nnopbase/aclnn/{acl_meta.h,aclnn_base.h}`, `docs/en/api/nnopbase/aclnn/*.md` @aa3cd74.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeVar

from cannery.aclnn.objects import AclArray, AclList, AclScalar, AclTensor, row_major
from cannery.core import AclnnStatus, DataType
from cannery.runtime import Call, Process, RuntimeFault
from cannery.runtime.call import call
from cannery.runtime.host import is_mapped

T = TypeVar("T")
INVALID = AclnnStatus.ACLNN_ERR_PARAM_INVALID
NULLPTR = AclnnStatus.ACLNN_ERR_PARAM_NULLPTR

_TENSOR_PARAMETERS = (
    "int64_t viewDims[viewDimsNum], aclDataType dataType, int64_t stride[=viewDimsNum], int64_t offset, "
    "aclFormat format, int64_t storageDims[storageDimsNum], void *tensorData"
)


@call("aclnnStatus aclnnInit(const char *configPath)")
def aclnn_init(process: Process, path: str | None) -> None:
    """Make two-phase calls possible without aclInit. The configuration has no effect here."""
    process.is_aclnn_ready = True


@call("aclnnStatus aclnnFinalize()")
def aclnn_finalize(process: Process) -> None:
    """End that."""
    process.is_aclnn_ready = False


@call(f"aclTensor *aclCreateTensor({_TENSOR_PARAMETERS})")
def create_tensor(process: Process, *arguments: Any) -> int:
    """A tensor; null when dims are null. Without strides the elements lie in order."""
    return process.handles.add(_tensor(*arguments))


@call(f"aclnnStatus aclInitTensor(aclTensor *tensor, {_TENSOR_PARAMETERS})")
def init_tensor(process: Process, handle: int, *arguments: Any) -> None:
    """Give an existing tensor all its attributes anew."""
    find(process, handle, AclTensor, "tensor").assign(_tensor(*arguments))


@call("aclnnStatus aclDestroyTensor(const aclTensor *tensor)")
def destroy_tensor(process: Process, handle: int) -> None:
    """Forget a tensor; its memory stays the caller's. Null is fine."""
    if handle:
        find(process, handle, AclTensor, "tensor").is_alive = False
        process.handles.remove(handle)


@call("aclScalar *aclCreateScalar(void *value, aclDataType dataType)")
def create_scalar(process: Process, address: int, data_type: int) -> int:
    """A copy of the value at a host address; null when the address is, or the type is none of whole bytes."""
    size = DataType(data_type).itemsize if data_type in DataType._value2member_map_ else 0
    if not size or not is_mapped(address, size):
        raise RuntimeFault(INVALID, "value", f"{address:#x} of data type {data_type}", "a host address, a data type")
    return process.handles.add(AclScalar(ctypes.string_at(address, size), data_type))


@call("aclnnStatus aclDestroyScalar(const aclScalar *scalar)")
def destroy_scalar(process: Process, handle: int) -> None:
    """Forget a scalar. Null is fine."""
    _destroy(process, handle, AclScalar, "scalar")


def _array_calls(kind: str, element: str) -> tuple[Call, Call, Call]:
    """Create, destroy and measure one kind of array."""

    def create(process: Process, values: list[Any] | None) -> int:
        """A copy of the values; null when they are null."""
        return process.handles.add(AclArray(tuple(_given("value", values)), kind))

    def destroy(process: Process, handle: int) -> None:
        """Forget an array. Null is fine."""
        _destroy(process, handle, AclArray, "array")

    def size(process: Process, handle: int) -> int:
        """Number of values."""
        return len(find(process, handle, AclArray, "array").values)

    return (
        call(f"acl{kind} *aclCreate{kind}({element} value[size])")(create),
        call(f"aclnnStatus aclDestroy{kind}(const acl{kind} *array)")(destroy),
        call(f"aclnnStatus aclGet{kind}Size(const acl{kind} *array, out uint64_t *size)")(size),
    )


def _list_calls(kind: str, member: str, destroy_member: Callable[[Process, int], None]) -> tuple[Call, Call, Call]:
    """Create, destroy and measure one kind of list."""

    def create(process: Process, handles: list[int] | None) -> int:
        """A list that owns its members; null when they are null."""
        return process.handles.add(AclList(tuple(_given("value", handles)), kind))

    def destroy(process: Process, handle: int) -> None:
        """Forget a list and its members. Null is fine."""
        if handle:
            members = find(process, handle, AclList, "array").handles
            process.handles.remove(handle)
            for item in members:
                destroy_member(process, item)

    def size(process: Process, handle: int) -> int:
        """Number of members."""
        return len(find(process, handle, AclList, "list").handles)

    return (
        call(f"acl{kind} *aclCreate{kind}({member} *value[size])")(create),
        call(f"aclnnStatus aclDestroy{kind}(const acl{kind} *array)")(destroy),
        call(f"aclnnStatus aclGet{kind}Size(const acl{kind} *list, out uint64_t *size)")(size),
    )


create_int_array, destroy_int_array, int_array_size = _array_calls("IntArray", "int64_t")
create_float_array, destroy_float_array, float_array_size = _array_calls("FloatArray", "float")
create_bool_array, destroy_bool_array, bool_array_size = _array_calls("BoolArray", "bool")
create_tensor_list, destroy_tensor_list, tensor_list_size = _list_calls(
    "TensorList", "aclTensor", destroy_tensor.function
)
create_scalar_list, destroy_scalar_list, scalar_list_size = _list_calls(
    "ScalarList", "aclScalar", destroy_scalar.function
)


@call("aclnnStatus aclGetViewShape(const aclTensor *tensor, out int64_t viewDims[viewDimsNum])")
def get_view_shape(process: Process, handle: int) -> list[int]:
    """Dims of the view; C deletes the array."""
    return list(find(process, handle, AclTensor, "tensor").dims)


@call("aclnnStatus aclGetStorageShape(const aclTensor *tensor, out int64_t storageDims[storageDimsNum])")
def get_storage_shape(process: Process, handle: int) -> list[int]:
    """Dims of the storage; C deletes the array."""
    return list(find(process, handle, AclTensor, "tensor").storage_dims)


@call("aclnnStatus aclGetViewStrides(const aclTensor *tensor, out int64_t stridesValue[stridesNum])")
def get_view_strides(process: Process, handle: int) -> list[int]:
    """Strides of the view, in elements; C deletes the array."""
    return list(find(process, handle, AclTensor, "tensor").strides)


@call("aclnnStatus aclGetViewOffset(const aclTensor *tensor, out int64_t *offset)")
def get_view_offset(process: Process, handle: int) -> int:
    """Elements from the storage's address to the view's first one."""
    return find(process, handle, AclTensor, "tensor").offset


@call("aclnnStatus aclGetFormat(const aclTensor *tensor, out aclFormat *format)")
def get_format(process: Process, handle: int) -> int:
    """Format."""
    return find(process, handle, AclTensor, "tensor").format


@call("aclnnStatus aclGetDataType(const aclTensor *tensor, out aclDataType *dataType)")
def get_data_type(process: Process, handle: int) -> int:
    """Data type."""
    return find(process, handle, AclTensor, "tensor").data_type


@call("aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)")
def set_raw_tensor_addr(process: Process, handle: int, address: int) -> None:
    """Let a tensor lie elsewhere: before phase 1, or after phase 2."""
    find(process, handle, AclTensor, "tensor").address = address


@call("aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, out void **addr)")
def get_raw_tensor_addr(process: Process, handle: int) -> int:
    """Where it lies."""
    return find(process, handle, AclTensor, "tensor").address


def find(process: Process, handle: int, kind: type[T], parameter: str) -> T:
    """The object of a handle, as aclnn functions refuse a wrong one.

    Raises:
        RuntimeFault: PARAM_NULLPTR for null; PARAM_INVALID for what was destroyed, or never made.
    """
    value = process.handles.find(handle, kind)
    if value is not None:
        return value
    name = kind.__name__[0].lower() + kind.__name__[1:]
    if handle == 0:
        raise RuntimeFault(NULLPTR, parameter, "null", f"an {name}")
    raise RuntimeFault(INVALID, parameter, f"{handle:#x}, which is no live {name}", "one that is not destroyed yet")


def _destroy(process: Process, handle: int, kind: type[Any], parameter: str) -> None:
    if handle:
        find(process, handle, kind, parameter)
        process.handles.remove(handle)


def _given(parameter: str, values: list[Any] | None) -> list[Any]:
    if values is None:
        raise RuntimeFault(NULLPTR, parameter, "null", "an array")
    return values


def _tensor(
    dims: list[int] | None,
    data_type: int,
    strides: list[int] | None,
    offset: int,
    format: int,
    storage_dims: list[int] | None,
    address: int,
) -> AclTensor:
    dims, storage_dims = _given("viewDims", dims), _given("storageDims", storage_dims)
    steps = row_major(dims) if strides is None else tuple(strides)
    if len(steps) != len(dims):
        raise RuntimeFault(INVALID, "stride", f"{len(steps)} strides", f"{len(dims)}, as many as dims")
    return AclTensor(tuple(dims), data_type, steps, offset, format, tuple(storage_dims), address)

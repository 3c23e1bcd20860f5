"""Data buffers and tensor descriptors, which single-operator programs pass around.

Source: hicann/runtime `include/external/acl/acl_base_mdl.h` @681ef761.
"""

from __future__ import annotations

from dataclasses import dataclass

from cannery.core import DataType, Shape
from cannery.runtime.call import call
from cannery.runtime.process import Process
from cannery.runtime.status import AclError, RuntimeFault


@dataclass
class DataBuffer:
    """An address and a size."""

    address: int
    size: int


@dataclass
class Descriptor:
    """Data type, dims and format of a tensor."""

    data_type: int
    dims: list[int]
    format: int
    name: str = ""

    @property
    def element_count(self) -> int:
        """Number of elements; 0 while a dim is unknown."""
        return Shape(self.dims).element_count() or 0


@call("aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)", "create_data_buffer")
def create_data_buffer(process: Process, address: int, size: int) -> int:
    """A buffer; what it points to stays the caller's."""
    return process.handles.add(DataBuffer(address, size))


@call("aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)", "destroy_data_buffer")
def destroy_data_buffer(process: Process, handle: int) -> None:
    """Forget it."""
    process.handles.get(handle, DataBuffer, "dataBuffer")
    process.handles.remove(handle)


@call(
    "aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)",
    "update_data_buffer",
)
def update_data_buffer(process: Process, handle: int, address: int, size: int) -> None:
    """Let it point elsewhere."""
    buffer = process.handles.get(handle, DataBuffer, "dataBuffer")
    buffer.address, buffer.size = address, size


@call("void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)", "get_data_buffer_addr")
def get_data_buffer_addr(process: Process, handle: int) -> int:
    """Where it points; null for no buffer."""
    buffer = process.handles.find(handle, DataBuffer)
    return buffer.address if buffer else 0


@call("uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)", "get_data_buffer_size")
def get_data_buffer_size(process: Process, handle: int) -> int:
    """The low 32 bits of its size; 0 for no buffer."""
    return int(get_data_buffer_size_v2.function(process, handle)) & 0xFFFFFFFF


@call("size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)", "get_data_buffer_size_v2")
def get_data_buffer_size_v2(process: Process, handle: int) -> int:
    """Its size; 0 for no buffer."""
    buffer = process.handles.find(handle, DataBuffer)
    return buffer.size if buffer else 0


@call(
    "aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, int64_t dims[=numDims], aclFormat format)",
)
def create_tensor_desc(process: Process, data_type: int, rank: int, dims: list[int] | None, format: int) -> int:
    """A descriptor; null when the dims are."""
    if rank < 0 or (rank and dims is None):
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "dims", f"{rank} of null", "dims")
    return process.handles.add(Descriptor(data_type, list(dims or ())[:rank], format))


@call("void aclDestroyTensorDesc(const aclTensorDesc *desc)", "destroy_tensor_desc")
def destroy_tensor_desc(process: Process, handle: int) -> None:
    """Forget it."""
    process.handles.remove(handle)


@call("aclDataType aclGetTensorDescType(const aclTensorDesc *desc)", "get_tensor_desc_type")
def get_tensor_desc_type(process: Process, handle: int) -> int:
    """Its data type; -1 for no descriptor."""
    desc = process.handles.find(handle, Descriptor)
    return desc.data_type if desc else -1


@call("aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)", "get_tensor_desc_format")
def get_tensor_desc_format(process: Process, handle: int) -> int:
    """Its format; -1 for no descriptor."""
    desc = process.handles.find(handle, Descriptor)
    return desc.format if desc else -1


@call("size_t aclGetTensorDescSize(const aclTensorDesc *desc)", "get_tensor_desc_size")
def get_tensor_desc_size(process: Process, handle: int) -> int:
    """Bytes of its elements; 0 for no descriptor."""
    desc = process.handles.find(handle, Descriptor)
    sizes = {int(dtype): dtype.itemsize for dtype in DataType}
    return desc.element_count * sizes.get(desc.data_type, 0) if desc else 0


@call("size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)", "get_tensor_desc_element_count")
def get_tensor_desc_element_count(process: Process, handle: int) -> int:
    """Number of its elements; 0 for no descriptor."""
    desc = process.handles.find(handle, Descriptor)
    return desc.element_count if desc else 0


@call("size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)", "get_tensor_desc_num_dims")
def get_tensor_desc_num_dims(process: Process, handle: int) -> int:
    """Number of its dims; 0 for no descriptor."""
    desc = process.handles.find(handle, Descriptor)
    return len(desc.dims) if desc else 0


@call(
    "aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, out int64_t *dimSize)",
    "get_tensor_desc_dim_v2",
)
def get_tensor_desc_dim(process: Process, handle: int, index: int) -> int:
    """One of its dims."""
    desc = process.handles.get(handle, Descriptor, "desc")
    if index >= len(desc.dims):
        raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, "index", index, f"0 to {len(desc.dims) - 1}")
    return desc.dims[index]


@call("const char *aclGetTensorDescName(aclTensorDesc *desc)", "get_tensor_desc_name")
def get_tensor_desc_name(process: Process, handle: int) -> str:
    """Its name; empty for no descriptor."""
    desc = process.handles.find(handle, Descriptor)
    return desc.name if desc else ""


@call("void aclSetTensorDescName(aclTensorDesc *desc, const char *name)", "set_tensor_desc_name")
def set_tensor_desc_name(process: Process, handle: int, name: str | None) -> None:
    """Name it."""
    desc = process.handles.find(handle, Descriptor)
    if desc is not None:
        desc.name = name or ""

"""Top-level calls whose Python form is not their C form: tensor descriptors, versions, the log."""

from __future__ import annotations

from typing import Any

from cannery.acl.spelling import asked
from cannery.runtime import AclError, RuntimeFault, process
from cannery.runtime.calls.descriptors import Descriptor
from cannery.runtime.calls.descriptors import create_tensor_desc as create_call
from cannery.runtime.calls.system import package_version, version_parts


def create_tensor_desc(data_type: int, dims: list[int], format: int, /) -> int:
    """A descriptor.

    Raises:
        TypeError: the dims are not a list of ints.
    """
    if not isinstance(dims, list) or not all(isinstance(dim, int) for dim in dims):
        raise TypeError("acl.create_tensor_desc args parse failed: expected dims to be a list of ints")
    _, values = create_call.invoke(process(), (data_type, len(dims), dims, format))
    return int(values[0]) if values else 0


def get_tensor_desc_dim(desc: int, index: int, /) -> int:
    """One of its dims; -1 where there is none."""
    found = process().handles.find(desc, Descriptor)
    return found.dims[index] if found and 0 <= index < len(found.dims) else -1


def set_tensor_format(desc: int, format: int, /) -> int:
    """Change the format."""
    return _set(desc, format=format)


def set_tensor_shape(desc: int, dims: list[int], /) -> int:
    """Change the dims."""
    return _set(desc, dims=list(dims))


# A descriptor here has one shape and one format: what is stored is what is seen.
set_tensor_storage_format = set_tensor_format
set_tensor_storage_shape = set_tensor_shape


def get_version_str(package: str, /) -> tuple[str, int]:
    """The version of a package: the one of this interface."""
    return asked(lambda _: package_version(package), "")


def get_cann_version(package: int, /) -> tuple[dict[str, str], int]:
    """The same in parts, which are strings, as C has them."""
    return asked(lambda _: version_parts(package), {})


def app_log(level: int, message: str, /) -> None:
    """Logs of programs go nowhere."""


def _set(handle: int, **values: Any) -> int:
    try:
        desc = process().handles.get(handle, Descriptor, "desc")
    except RuntimeFault as fault:
        return process().report(fault)
    for name, value in values.items():
        setattr(desc, name, value)
    return int(AclError.ACL_SUCCESS)

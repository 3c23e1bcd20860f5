"""The runtime in pyACL's spelling, for what a two-phase caller needs. ``cannery exec`` makes it ``import acl``.

Every function takes positional arguments only, pointers and handles are ints, a failure comes back as a code (its
reason by ``get_recent_err_msg``), and the module has no constants: as in the original.

Source: hicann/runtime `python/pyACL/**` @134e2edb.
"""

from __future__ import annotations

from cannery.acl import rt, util
from cannery.acl.descriptors import (
    app_log,
    create_tensor_desc,
    get_cann_version,
    get_tensor_desc_dim,
    get_version_str,
    set_tensor_format,
    set_tensor_shape,
    set_tensor_storage_format,
    set_tensor_storage_shape,
)
from cannery.acl.spelling import functions
from cannery.core.published import module_getattr

__all__ = [
    "app_log",
    "create_tensor_desc",
    "get_cann_version",
    "get_tensor_desc_dim",
    "get_version_str",
    "init",
    "rt",
    "set_tensor_format",
    "set_tensor_shape",
    "set_tensor_storage_format",
    "set_tensor_storage_shape",
    "util",
]

globals().update(functions(""))
_init = functions("")["init"]


def init(*path: str) -> int:
    """Start the runtime; the path of a configuration file is optional, and only its first use counts."""
    status: int = _init(*(path or ("",)))
    return status


__getattr__ = module_getattr("cannery.acl", "acl", "docs/aclnn.md lists the calls that are")

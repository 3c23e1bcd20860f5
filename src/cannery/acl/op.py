"""``acl.op`` (single-operator offline models) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.acl", "acl.op", "cannery runs no offline models of single operators; call aclnn")

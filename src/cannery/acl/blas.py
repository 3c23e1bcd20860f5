"""``acl.blas`` (offline models of single operators) is not offered: each name is there, a call says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr(
    "cannery.acl", "acl.blas", "cannery runs no offline models of single operators; call aclnn"
)

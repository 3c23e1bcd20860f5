"""``acl.prof`` (profiling of a device) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr(
    "cannery.acl", "acl.prof", "a virtual device has nothing to profile; kernels have a timeline"
)

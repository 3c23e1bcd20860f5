"""``ge.allocator`` (device allocators) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.ge", "ge.allocator", "cannery has no device allocators; graphs take host memory")

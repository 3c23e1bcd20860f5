"""``ge.allocator`` (device allocators) is not offered: each of its names is a NotImplementedError that says so."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.allocator", "cannery has no device allocators; graphs take host memory")

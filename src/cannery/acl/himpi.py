"""``acl.himpi`` (image and video units) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.acl", "acl.himpi", "the image and video units of a chip are not part of cannery")

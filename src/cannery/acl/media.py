"""``acl.media`` (image and video units) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.acl", "acl.media", "the image and video units of a chip are not part of cannery")

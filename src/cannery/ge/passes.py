"""``ge.passes`` (fusion passes) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.ge", "ge.passes", "cannery's graphs run as they are, without fusion passes")

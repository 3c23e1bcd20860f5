"""``ge.passes`` (fusion passes) is not offered: each of its names is a NotImplementedError that says so."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.passes", "cannery's graphs run as they are, without fusion passes")

"""``ge.custom_op`` (custom operators) is not offered: each of its names is a NotImplementedError that says so."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.custom_op", "cannery takes operators from the entry-point group cannery.operators")

"""``ge.custom_op`` (custom operators) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr(
    "cannery.ge", "ge.custom_op", "cannery takes operators from the entry-point group cannery.operators"
)

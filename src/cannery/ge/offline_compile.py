"""``ge.offline_compile`` (offline models) is not offered: each of its names is there, and a call of it says so."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr(
    "cannery.ge", "ge.offline_compile", "cannery compiles no offline models; run the graph in a session"
)

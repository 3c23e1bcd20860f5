"""``ge.pyatc`` (the offline compiler's command) is not offered: each of its names is a NotImplementedError."""

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.ge", "ge.pyatc", "cannery compiles no offline models; run the graph in a session")

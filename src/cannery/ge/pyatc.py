"""``ge.pyatc`` (the offline compiler's command) is not offered: each of its names is a NotImplementedError."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.pyatc", "cannery compiles no offline models; run the graph in a session")

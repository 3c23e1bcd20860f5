"""``ge.offline_compile`` (offline models) is not offered: each of its names is a NotImplementedError that says so."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.offline_compile", "cannery compiles no offline models; run the graph in a session")

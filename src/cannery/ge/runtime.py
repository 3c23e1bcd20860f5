"""``ge.runtime`` (the model runtime) is not offered: each of its names is a NotImplementedError that says so."""

from cannery.ge._engine.absent import absent

__getattr__ = absent("ge.runtime", "cannery loads no offline models; run the graph in a session")

"""``ge.es.cv``, which the original generates for ops-cv: the operators of ``ge.es.all``."""

from cannery.ge.es.offered import operators_getattr

__getattr__ = operators_getattr("ge.es.cv")

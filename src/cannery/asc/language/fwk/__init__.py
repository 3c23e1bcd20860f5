"""``asc.language.fwk``."""

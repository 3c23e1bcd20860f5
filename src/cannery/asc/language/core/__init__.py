"""``asc.language.core``."""

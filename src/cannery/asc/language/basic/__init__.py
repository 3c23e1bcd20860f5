"""``asc.language.basic``."""

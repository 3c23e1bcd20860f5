"""``asc.language.core.dtype``: element types."""

from cannery.asc.dtypes import DataType, KnownTypes

__all__ = ["DataType", "KnownTypes"]

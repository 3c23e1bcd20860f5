"""``asc.language.core.struct``: structs."""

from cannery.asc.struct import Field, Struct, StructField

__all__ = ["Field", "Struct", "StructField"]

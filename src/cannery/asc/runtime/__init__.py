"""``asc.runtime``: configuration."""

from cannery.asc.runtime import config

__all__ = ["config"]

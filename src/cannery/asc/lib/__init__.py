"""``asc.lib``: the device runtime and host-side helpers."""

from cannery.asc.lib import host, runtime

__all__ = ["host", "runtime"]

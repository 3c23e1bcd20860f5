"""The kernel language, in pyasc's spelling, executed directly on the virtual AI core.

``import asc`` resolves to this package under ``cannery exec`` and ``import cannery.activate``. The names, signatures
and defaults are those of hicann/pyasc @cecba26ace65. Editors read them in `__init__.pyi`, which `cannery.asc.stub`
writes.
"""

from __future__ import annotations

import sys
from typing import Any

from cannery.asc import adv, exports, language, lib, runtime  # noqa: F401
from cannery.asc.unsimulated import Unsimulated
from cannery.core.published import published

# pyasc's submodules re-export the same names.
basic = core = fwk = sys.modules[__name__]
globals().update(exports.NAMES)
__all__ = sorted([*exports.SUBMODULES, *exports.NAMES])


def __getattr__(name: str) -> Any:
    if published(__name__).has("asc", name):
        return Unsimulated(f"asc.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

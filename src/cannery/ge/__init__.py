"""GE graphs and sessions in the spelling of the official Python package ``ge``.

Under ``cannery exec`` and ``cannery.activate`` the name ``ge`` is this package, so a program written for CANN runs as
it is. A graph runs through the same staged call as everything else; what an operator refuses is a ``GeError`` with
GE's code.

Source of the spelling: hicann/ge `api/python/ge/ge`, `docs/en/user_guides/ge_python` @ffdcbc9f.
"""

from __future__ import annotations

from cannery.core.published import module_getattr

__getattr__ = module_getattr("cannery.ge", "ge", "docs/ge.md lists what is")

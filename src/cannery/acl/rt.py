"""``acl.rt``: devices, contexts, streams, events, memory."""

from __future__ import annotations

from typing import Any

from cannery.acl.spelling import functions

globals().update(functions("rt"))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'acl.rt': found {name}, expected a call that docs/aclnn.md lists")

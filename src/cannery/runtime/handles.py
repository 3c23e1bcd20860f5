"""Handles: numbers that stand for objects, so that a stale or made-up one is found out instead of followed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TypeVar

from cannery.runtime.status import AclError, RuntimeFault

T = TypeVar("T")

# No address of a process looks like this (bits 47 to 63 are neither all clear nor all set): a program that follows a
# handle faults at once instead of reading something.
_FIRST = 0x0CA0_0000_0000_0010
_STEP = 16


class Handles:
    """The live objects by handle. A handle is never given out twice."""

    def __init__(self) -> None:
        self._objects: dict[int, object] = {}
        self._numbers = count(_FIRST, _STEP)

    def __len__(self) -> int:
        return len(self._objects)

    def add(self, value: object) -> int:
        """A new handle for this object."""
        handle = next(self._numbers)
        self._objects[handle] = value
        return handle

    def find(self, handle: int, kind: type[T]) -> T | None:
        """The object, or None when the handle is not a live one of that kind."""
        value = self._objects.get(handle)
        return value if isinstance(value, kind) else None

    def get(self, handle: int, kind: type[T], parameter: str) -> T:
        """The object.

        Raises:
            RuntimeFault: INVALID_PARAM for null, RT_INVALID_HANDLE for one that is stale, made up or of another kind.
        """
        value = self.find(handle, kind)
        if value is not None:
            return value
        if handle == 0:
            raise RuntimeFault(AclError.ACL_ERROR_INVALID_PARAM, parameter, "null", f"a handle of a {kind.__name__}")
        found = f"{handle:#x}, which is not a live {kind.__name__}"
        raise RuntimeFault(
            AclError.ACL_ERROR_RT_INVALID_HANDLE, parameter, found, "a handle that was created and not yet destroyed"
        )

    def remove(self, handle: int) -> None:
        """Forget a handle; what it stood for lives on with whoever still holds it."""
        self._objects.pop(handle, None)

    def of(self, kind: type[T]) -> Iterator[tuple[int, T]]:
        """Every live handle of a kind with its object."""
        return ((handle, value) for handle, value in list(self._objects.items()) if isinstance(value, kind))

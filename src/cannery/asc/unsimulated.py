"""pyasc's names that are not simulated (``published.json`` has all its names): calling one says so, with the chip."""

from __future__ import annotations

from typing import Any

from cannery.asc.runtime import config


class UnsimulatedError(NotImplementedError, AttributeError):
    """A member of a name that is not simulated. Also an AttributeError: pickle asks every module for its names."""


class Unsimulated:
    """Stands for a name; calling it, or asking it for a member, raises NotImplementedError, naming it and the chip."""

    def __init__(self, name: str) -> None:
        self.__name__ = name.rpartition(".")[2]
        self._full_name = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError(f"{self._full_name} on {config.platform().name} is not simulated")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnsimulatedError(f"{self._full_name}.{name} on {config.platform().name} is not simulated")

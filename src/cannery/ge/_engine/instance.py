"""GE of this process: initialised or not, and with which options."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from itertools import count

from cannery.core import GeStatus
from cannery.ge._engine.options import GLOBAL, check_options
from cannery.ge.error import GeError


class Instance:
    """There is one a process.

    Attributes:
        generation: grows with each initialisation: older sessions end with theirs.
        dumps: the numbers of the files that graphs are written to.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._options: dict[str, str] | None = None
        self.generation = 0
        self.dumps = count()

    def initialize(self, config: Mapping[str, str]) -> None:
        """Begin.

        Raises:
            GeError: GE_CLI_GE_ALREADY_INITIALIZED; GE_CLI_INIT_FAILED for an option that is refused.
        """
        with self._lock:
            if self._options is not None:
                message = "found it initialized already, expected ge_finalize first"
                raise GeError(message, code=GeStatus.GE_CLI_GE_ALREADY_INITIALIZED)
            self._options = check_options(GLOBAL, config)
            self.generation += 1

    def finalize(self) -> None:
        """End; every session ends with it. Nothing happens where it was not initialised."""
        with self._lock:
            self._options = None

    def options(self, generation: int | None = None) -> dict[str, str]:
        """The global options, of one initialisation or of the present one.

        Raises:
            GeError: GE_CLI_GE_NOT_INITIALIZED: it is not, or was finalized since.
        """
        options = self._require()
        if generation not in (None, self.generation):
            message = "found a session of a GE that was finalized, or made before ge_initialize"
            raise GeError(message, code=GeStatus.GE_CLI_GE_NOT_INITIALIZED)
        return options

    def inherited(self) -> dict[str, str]:
        """The global options that a session starts from; none while it is not initialised."""
        return self._options or {}

    def _require(self) -> dict[str, str]:
        if self._options is None:
            message = "found GE not initialized, expected GeApi.ge_initialize first"
            raise GeError(message, code=GeStatus.GE_CLI_GE_NOT_INITIALIZED)
        return self._options


@cache
def instance() -> Instance:
    """GE of this process."""
    return Instance()

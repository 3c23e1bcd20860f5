"""``ge.ge_global``: GE of the process, begun and ended."""

from __future__ import annotations

from cannery.ge._engine.arguments import require
from cannery.ge._engine.instance import instance
from cannery.ge.error import calling

__all__ = ["GeApi"]


class GeApi:
    """Source: hicann/ge `api/python/ge/ge/ge_global.py` @ffdcbc9f. Both return 0, which its documentation omits."""

    @classmethod
    def ge_initialize(cls, config: dict[str, str]) -> int:
        """Begin, with global options; ``ge.exec.deviceId`` and ``ge.graphRunMode`` are the usual ones.

        Raises:
            TypeError: no dict, an empty one, or one not of strings.
            GeError: GE_CLI_GE_ALREADY_INITIALIZED; GE_CLI_INIT_FAILED: an option that is unknown, has no such value or
                excludes another.
        """
        if not require(config, dict, "Ge init config"):
            raise TypeError("Ge init config must not be empty")
        with calling("GEInitialize"):
            instance().initialize(config)
        return 0

    @classmethod
    def ge_finalize(cls) -> int:
        """End. Sessions made before are of no use afterwards. Without ``ge_initialize`` there is nothing to do.

        Source: hicann/ge `api/session/client/ge_api.cc` @ffdcbc9f.
        """
        instance().finalize()
        return 0

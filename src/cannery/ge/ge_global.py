"""``ge.ge_global``: GE of the process, begun and ended."""

from __future__ import annotations

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
        if not isinstance(config, dict) or not config:
            raise TypeError(f"ge_initialize: config: found {config!r:.80}, expected a dict that is not empty")
        with calling("GeApi.ge_initialize"):
            instance().initialize(config)
        return 0

    @classmethod
    def ge_finalize(cls) -> int:
        """End. Sessions made before are of no use afterwards.

        Raises:
            GeError: GE_CLI_GE_NOT_INITIALIZED.
        """
        with calling("GeApi.ge_finalize"):
            instance().finalize()
        return 0

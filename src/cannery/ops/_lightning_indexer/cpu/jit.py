"""Compiling: numba with a disk cache that knows all the kernels' sources."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class _SourcesCache(FunctionCache):
    """numba's own cache looks at one file, but a kernel contains code inlined from its neighbours: key by them all."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What the cache has, or None: a damaged one is as good as none."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as failure:
            _warn(failure)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where there is room."""
        try:
            super().save_overload(sig, data)
        except Exception as failure:
            _warn(failure)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), _sources())


def _warn(failure: Exception) -> None:
    reason = f"{type(failure).__name__}: {failure}"
    _warn_once(f"cannery: numba's cache cannot be used ({reason}); kernels are compiled anew")


@cache
def _warn_once(text: str) -> None:
    """Every kernel would say it."""
    warnings.warn(text, RuntimeWarning, stacklevel=4)


@cache
def _sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, on first use, without the GIL; cached on disk unless no cache folder can be written."""

    def compile_lazily(function: Callable[..., Any]) -> Any:
        dispatcher = njit(nogil=True, **options)(function)
        try:
            dispatcher._cache = _SourcesCache(function)
        except RuntimeError:  # numba found no place for its cache
            return dispatcher
        return dispatcher

    return compile_lazily

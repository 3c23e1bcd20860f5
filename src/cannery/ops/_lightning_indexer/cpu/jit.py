"""Compiling: numba with a disk cache that knows all the kernels' sources."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class _SourcesCache(FunctionCache):
    """numba's own cache looks at one file, but a kernel contains code inlined from its neighbours: key by them all."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), _sources())


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

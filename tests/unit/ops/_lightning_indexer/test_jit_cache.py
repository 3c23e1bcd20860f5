"""A cache of compiled kernels that is damaged, or cannot be written, costs time and says so once."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from cannery.ops._lightning_indexer.cpu import jit


def double(x: int) -> int:
    return 2 * x


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    jit._warn_once.cache_clear()
    return tmp_path


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_a_damaged_file_is_compiled_anew_with_one_warning(folder: Path, pattern: str) -> None:
    assert jit.kernel()(double)(3) == 6
    for path in folder.rglob(pattern):
        path.write_bytes(path.read_bytes()[:40])
    with pytest.warns(RuntimeWarning, match="numba's cache cannot be used") as told:
        assert jit.kernel()(double)(3) == 6
        assert jit.kernel()(double)(3) == 6
    assert len(told) == 1


def test_a_cache_that_cannot_be_written_is_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    with pytest.warns(RuntimeWarning, match="numba's cache cannot be used .OSError: .Errno 28. No space left"):
        assert jit.kernel()(double)(3) == 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jit.kernel()(double)(4) == 8

"""A real ragged batch: Python sources of the interpreter's own standard library, tokenised and embedded."""

from __future__ import annotations

import sysconfig
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

FILES = 32
MAX_TOKENS = 4096
WIDTH = 1024
SEED = 0


class CorpusError(ValueError):
    """The interpreter came without enough of its sources."""


@dataclass(frozen=True)
class RaggedBatch:
    """A padded batch and where its rows are.

    Attributes:
        names: file names, one a sample.
        lengths: tokens of each sample after the cut.
        tokens: tokens of each sample before it.
        padded: float16 (files, longest allowed, width), zero in the padding.
    """

    names: tuple[str, ...]
    lengths: tuple[int, ...]
    tokens: tuple[int, ...]
    padded: torch.Tensor


def ragged_batch() -> RaggedBatch:
    """The batch; the same interpreter gives the same bytes.

    Raises:
        CorpusError: fewer than 32 source files of the standard library are there.
    """
    paths = _spread(_sources(), FILES)
    texts = [_token_strings(path) for path in paths]
    cut = [text[:MAX_TOKENS] for text in texts]
    names = tuple(path.name for path in paths)
    return RaggedBatch(names, tuple(map(len, cut)), tuple(map(len, texts)), _embedded(cut))


def _sources() -> list[Path]:
    """The modules at the top of the standard library that hold code, by name."""
    folder = Path(sysconfig.get_path("stdlib"))
    return sorted(path for path in folder.glob("*.py") if path.stat().st_size > 0)


def _spread(paths: Sequence[Path], count: int) -> list[Path]:
    """``count`` of them at even distances, so that the first letters of the alphabet are not the whole batch."""
    if len(paths) < count:
        raise CorpusError(
            f"standard library: found {len(paths)} source files in {sysconfig.get_path('stdlib')}, expected at least "
            f"{count}: use an interpreter that came with its sources"
        )
    return [paths[index * len(paths) // count] for index in range(count)]


def _token_strings(path: Path) -> list[str]:
    with tokenize.open(path) as file:
        return [token.string for token in tokenize.generate_tokens(file.readline)]


def _embedded(texts: Sequence[Sequence[str]]) -> torch.Tensor:
    """Every token's row of a seeded table, each text from the start of its sample."""
    vocabulary = {token: index for index, token in enumerate(sorted({token for text in texts for token in text}))}
    table = torch.randn(len(vocabulary), WIDTH, generator=torch.Generator().manual_seed(SEED)).half()
    padded = torch.zeros(len(texts), MAX_TOKENS, WIDTH, dtype=torch.float16)
    for sample, text in zip(padded, texts, strict=True):
        torch.index_select(table, 0, torch.tensor([vocabulary[token] for token in text]), out=sample[: len(text)])
    return padded

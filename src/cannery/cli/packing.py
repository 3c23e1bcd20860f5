"""What packing a ragged batch saves. Functions and operators must agree bit for bit; bytes and seconds are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import torch

import cannery
from cannery.cli.corpus import MAX_TOKENS, RaggedBatch

REPEATS = 3


@dataclass(frozen=True)
class Packing:
    """What was found.

    Attributes:
        checks: what was compared, and whether it was equal bit for bit.
        padded_bytes, packed_bytes: sizes of the batch and of its packed rows.
        longest: rows of the longest sample.
        seconds: medians by name of what was timed.
    """

    checks: dict[str, bool]
    padded_bytes: int
    packed_bytes: int
    longest: int
    seconds: dict[str, float]


def pack(batch: RaggedBatch) -> Packing:
    """Unpad, pad back, the same with the operators, and a layer norm over the batch and over the rows alone."""
    lengths, padded = list(batch.lengths), batch.padded
    seconds: dict[str, float] = {}
    rows, offsets, longest = _timed(seconds, "unpad", lambda: cannery.unpad(padded, lengths))
    back = _timed(seconds, "pad", lambda: cannery.pad(rows, cu_seqlens=offsets, max_len=MAX_TOKENS))
    checks = {
        "rows start where the lengths say": offsets.tolist() == _offsets(lengths),
        "every row is its token's": all(_same(rows[start:][:n], x[:n]) for start, n, x in _samples(batch)),
        "pad(unpad(batch)) is the batch": _same(back, padded),
    }
    del back
    attrs = {"qSeqLen": lengths, "maxSeqLen": MAX_TOKENS}
    checks["UnpadWithHiddenState gives the same rows"] = _same(_run("UnpadWithHiddenState", padded, attrs), rows)
    checks["PadWithHiddenState gives the batch back"] = _same(_run("PadWithHiddenState", rows, attrs), padded)
    _timed(seconds, "layer norm, padded", lambda: _layer_norm(padded))
    _timed(seconds, "layer norm, packed", lambda: _layer_norm(rows))
    return Packing(checks, padded.nbytes, rows.nbytes, longest, seconds)


def _run(name: str, x: torch.Tensor, attrs: dict[str, Any]) -> torch.Tensor:
    output = cannery.run(name, [x], attrs)[0]
    assert isinstance(output, torch.Tensor)
    return output


def _layer_norm(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def _timed(seconds: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
    taken = []
    result = None
    for _ in range(REPEATS):
        del result
        start = perf_counter()
        result = work()
        taken.append(perf_counter() - start)
    seconds[name] = median(taken)
    return result


def _offsets(lengths: list[int]) -> list[int]:
    return [sum(lengths[:count]) for count in range(len(lengths) + 1)]


def _samples(batch: RaggedBatch) -> list[tuple[int, int, torch.Tensor]]:
    return list(zip(_offsets(list(batch.lengths)), batch.lengths, batch.padded, strict=False))


def _same(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Equal bit for bit: the bits of float16 compared as integers, so that NaN and -0 count."""
    return torch.equal(left.view(torch.int16), right.view(torch.int16))

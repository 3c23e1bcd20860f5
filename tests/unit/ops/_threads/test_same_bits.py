"""Operators that sum or multiply give the same bits on any number of threads, and torch gets its threads back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
import torch

import cannery
from cannery.ops._threads.workers import workers
from cannery.pytorch import LightningIndexerKLLoss

Results = Sequence[torch.Tensor]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """Give torch its threads back."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def normal(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.flatten().contiguous().view(torch.uint8)


def rms_norm_backward(rows: int, row: int) -> Results:
    dy, x, gamma = normal(rows, row), normal(rows, row, seed=1), normal(row, seed=2)
    rstd = x.square().mean(-1).rsqrt()
    return cannery.run("RmsNormBackward", [dy, x, rstd, gamma])


def strided_batch_matmul(m: int, n: int, k: int) -> Results:
    sizes = {"m": [m], "n": [n], "k": [k], "lda": [k], "ldb": [n], "ldc": [n]}
    strides = {"strideA": [m * k], "strideB": [k * n], "strideC": [m * n]}
    a, b = normal(m * k, dtype=torch.float16), normal(k * n, dtype=torch.float16, seed=1)
    return cannery.run("StridedBatchMatmul", [a, b], {**sizes, **strides})


def fast_soft_max(length: int) -> Results:
    return cannery.run("FastSoftMax", [normal(2 * length**2, dtype=torch.float16)], {"headNum": 2, "qSeqLen": [length]})


def fast_soft_max_grad(length: int) -> Results:
    y, dy = (normal(2 * length**2, dtype=torch.float16, seed=seed) for seed in range(2))
    return cannery.run("FastSoftMaxGrad", [y, dy], {"headNum": 2, "qSeqLen": [length]})


def loss_with_attention(dtype: torch.dtype, rows: int) -> Results:
    q, k = normal(1, rows, 4, 128, dtype=dtype), normal(1, rows, 1, 128, dtype=dtype, seed=1)
    w = 0.01 * normal(1, rows, 4, dtype=torch.promote_types(dtype, torch.float32), seed=2)
    attn_q, attn_k = normal(1, rows, 2, 48, dtype=dtype, seed=3), normal(1, rows, 1, 48, dtype=dtype, seed=4)
    return list(LightningIndexerKLLoss(mask_mode=3).loss_and_gradients(q, k, w, attn_q=attn_q, attn_k=attn_k))


def loss_of_many_rows(rows: int) -> Results:
    q, k, w = normal(1, rows, 1, 8), normal(1, 1, 1, 8, seed=1), normal(1, rows, 1, seed=2)
    target = normal(1, rows, 1, 1, seed=3).abs()
    return list(LightningIndexerKLLoss(reduction="sum").loss_and_gradients(q, k, w, target))


def unpad_and_pad(lengths: list[int]) -> Results:
    packed, cu_seqlens, max_len = cannery.unpad(normal(len(lengths), max(lengths), 40), lengths)
    return [packed, cannery.pad(packed, cu_seqlens=cu_seqlens, max_len=max_len)]


CALLS: dict[str, Callable[[], Results]] = {
    "RmsNormBackward, one row": lambda: rms_norm_backward(1, 200_000),
    "RmsNormBackward, rows of one": lambda: rms_norm_backward(200_000, 1),
    "StridedBatchMatmul, deep": lambda: strided_batch_matmul(4, 4, 5000),
    "StridedBatchMatmul, square": lambda: strided_batch_matmul(130, 130, 130),
    "FastSoftMax": lambda: fast_soft_max(300),
    "FastSoftMaxGrad": lambda: fast_soft_max_grad(300),
    "loss, target built, float64": lambda: loss_with_attention(torch.float64, 200),
    "loss, target built, bfloat16": lambda: loss_with_attention(torch.bfloat16, 200),
    "loss of many rows": lambda: loss_of_many_rows(50_000),
    "unpad and pad": lambda: unpad_and_pad([3, 700, 1, 90]),
}


@pytest.mark.parametrize("name", CALLS)
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    torch.set_num_threads(1)
    expected = CALLS[name]()
    for count in (2, 3):
        torch.set_num_threads(count)
        for found, due in zip(CALLS[name](), expected, strict=True):
            assert torch.equal(bits(found), bits(due))


def test_torch_has_its_threads_again_after_a_failure() -> None:
    def fail(first: int, last: int) -> None:
        raise ValueError("part")

    torch.set_num_threads(2)
    with pytest.raises(ValueError, match="part"), workers() as run:
        run(fail, np.ones(4))
    assert torch.get_num_threads() == 2


def test_a_part_may_write_what_inference_mode_made() -> None:
    torch.set_num_threads(2)
    with torch.inference_mode():
        found = loss_with_attention(torch.float64, 90)
    assert all(torch.equal(a, b) for a, b in zip(found, loss_with_attention(torch.float64, 90), strict=True))

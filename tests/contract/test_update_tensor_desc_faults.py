"""The case file of UpdateTensorDesc notices an engine that writes the wrong window."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import cannery
from cannery.operator import Operator, find_operator
from cannery.st.files import load_cases
from cannery.st.runner import run_cases

OPERATOR = find_operator("UpdateTensorDesc")
FOLDER = Path(cannery.__file__).parent / "ops" / "update_tensor_desc" / "cases"
Words = list[int]


def _skip_last_dim(rank_and_dims: Words) -> tuple[int, Words]:
    return 3, rank_and_dims[:-1]


def _skip_first_dim(rank_and_dims: Words) -> tuple[int, Words]:
    return 3, [rank_and_dims[0]]


def _zero_the_window(rank_and_dims: Words) -> tuple[int, Words]:
    return 3, [0] * len(rank_and_dims)


def _shift_by_one(rank_and_dims: Words) -> tuple[int, Words]:
    return 4, rank_and_dims


def _shift_back_by_one(rank_and_dims: Words) -> tuple[int, Words]:
    return 2, rank_and_dims


def _write_nothing(rank_and_dims: Words) -> tuple[int, Words]:
    return 3, []


def _right(rank_and_dims: Words) -> tuple[int, Words]:
    return 3, rank_and_dims


def _with_fault(fault: Callable[[Words], tuple[int, Words]]) -> Operator:
    def launch(context: Any, tiling: Any, inputs: Any, outputs: Any) -> None:
        shape = context.attrs["shape"]
        start, words = fault([len(shape), *shape])
        room = outputs[0].torch.view(-1)[start : start + len(words)]
        room.copy_(torch.tensor(words[: room.numel()], dtype=torch.int64))

    return replace(OPERATOR, engines={"eager": launch})


def _failed(operator: Operator) -> list[str]:
    cases = [case for path in sorted(FOLDER.glob("*.csv")) for case in load_cases(path, lambda name: operator).cases]
    small = [case for case in cases if case.input_bytes < 1 << 20]
    assert len(small) >= 10
    return [result.status for result in run_cases(small) if result.has_failed]


@pytest.mark.parametrize(
    "fault",
    [_skip_last_dim, _skip_first_dim, _zero_the_window, _shift_by_one, _shift_back_by_one, _write_nothing],
)
def test_a_planted_fault_fails_the_case_file(fault: Callable[[Words], tuple[int, Words]]) -> None:
    failed = _failed(_with_fault(fault))
    assert failed and set(failed) == {"FAIL"}


def test_the_same_engine_without_a_fault_passes() -> None:
    assert _failed(_with_fault(_right)) == []

"""What the device refuses of its fused operators: one call that is taken, and variations that are not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from cannery.extras.npu import guard
from cannery.extras.npu.functions import operators
from cannery.extras.npu.rules import ArgumentError

pytestmark = pytest.mark.own_process

HALF, BRAIN, DOUBLE, BOOL = torch.float16, torch.bfloat16, torch.float64, torch.bool
CAUSAL = torch.ones(2048, 2048).triu(1).bool()


def ones(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.ones(shape, dtype=dtype)


def whole(*values: int) -> Tensor:
    return torch.tensor(values)


ATTENTION = {"query": ones(2, 4, 6, 8), "key": ones(2, 2, 5, 8), "value": ones(2, 2, 5, 8), "head_num": 4,
             "input_layout": "BNSD"}  # fmt: skip
PACKED = {"query": ones(10, 2, 8), "key": ones(10, 2, 8), "value": ones(10, 2, 8), "head_num": 2, "input_layout": "TND",
          "actual_seq_qlen": [4, 10], "actual_seq_kvlen": [4, 10]}  # fmt: skip
WIDE = {"query": ones(2, 6, 32), "key": ones(2, 5, 16), "value": ones(2, 5, 16), "head_num": 4, "input_layout": "BSH"}
GROUPED = {"x": [ones(5, 3)], "weight": [ones(3, 3, 4)], "group_list": whole(2, 2, 5), "group_type": 0, "split_item": 3}
ALONG_K = {"x": [ones(4, 5)], "weight": [ones(5, 3)], "group_list": whole(2, 2, 5), "group_type": 2, "split_item": 3}
PAIRS = {"x": [ones(2, 3)], "weight": [ones(3, 4)], "group_type": -1}
ROTARY = {"query": ones(2, 3, 4, 64), "key": ones(2, 3, 1, 64), "cos": ones(2, 3, 1, 64), "sin": ones(2, 3, 1, 64)}
UNPERMUTE = {"permuted_tokens": ones(6, 4), "sorted_indices": torch.arange(6, dtype=torch.int32), "probs": ones(3, 2)}

# Operator, what it takes, and what it does not: changes of that, and the argument that the refusal names.
CASES: list[tuple[str, dict[str, Any], list[tuple[dict[str, Any], str]]]] = [
    (
        "npu_rms_norm",
        {"self": ones(2, 4), "gamma": ones(4)},
        [
            ({"gamma": ones(3)}, "gamma"),
            ({"gamma": ones(4, 2)}, "gamma"),
            ({"gamma": ones(1, 2, 4)}, "gamma"),
            ({"gamma": ones(4, dtype=HALF)}, "gamma"),
            ({"self": ones(2, 4, dtype=HALF), "gamma": ones(4, dtype=BRAIN)}, "gamma"),
            ({"self": ones(2, 4, dtype=DOUBLE)}, "self"),
        ],
    ),
    (
        "npu_add_rms_norm",
        {"x1": ones(2, 4), "x2": ones(2, 4), "gamma": ones(4)},
        [
            ({"x2": ones(4)}, "x2"),
            ({"x2": ones(2, 4, dtype=HALF)}, "x2"),
            ({"gamma": ones(4, dtype=HALF)}, "gamma"),
            ({"gamma": ones(2)}, "gamma"),
        ],
    ),
    (
        "npu_rotary_mul",
        {"self": ones(1, 2, 3, 4), "r1": ones(1, 2, 1, 4), "r2": ones(1, 2, 1, 4)},
        [
            ({"rotary_mode": "other"}, "rotary_mode"),
            ({"r1": ones(1, 2, 1, 2), "r2": ones(1, 2, 1, 2)}, "r1"),
            ({"r2": ones(1, 1, 1, 4)}, "r2"),
            ({"self": ones(3, 4), "r1": ones(3, 4), "r2": ones(3, 4)}, "self"),
            ({"self": ones(1, 2, 3, 5), "r1": ones(1, 2, 1, 5), "r2": ones(1, 2, 1, 5)}, "self"),
            ({"self": ones(1, 2, 3, 4, dtype=torch.int32)}, "self"),
        ],
    ),
    (
        "npu_apply_rotary_pos_emb",
        ROTARY,
        [
            ({"layout": "BNSD"}, "layout"),
            ({"layout": "TND"}, "query"),
            ({"rotary_mode": "interleave"}, "rotary_mode"),
            ({"key": ones(2, 2, 1, 64)}, "key"),
            ({"cos": ones(2, 3, 4, 64)}, "cos"),
            ({"sin": ones(2, 3, 1, 64, dtype=HALF)}, "sin"),
            ({name: tensor[..., :32] for name, tensor in ROTARY.items()}, "query"),
        ],
    ),
    (
        "npu_swiglu",
        {"self": ones(2, 4)},
        [({"self": ones(2, 5)}, "self"), ({"dim": 2}, "dim"), ({"self": ones(2, 4, dtype=DOUBLE)}, "self")],
    ),
    ("npu_fast_gelu", {"self": ones(2)}, [({"self": ones(2, dtype=DOUBLE)}, "self")]),
    ("npu_gelu", {"self": ones(2)}, [({"approximate": "erf"}, "approximate"), ({"self": whole(1)}, "self")]),
    (
        "npu_scaled_masked_softmax",
        {"x": ones(1, 2, 32, 64), "mask": ones(1, 1, 32, 64, dtype=BOOL)},
        [
            ({"x": ones(2, 32, 64)}, "x"),
            ({"x": ones(1, 2, 31, 64)}, "x"),
            ({"mask": ones(1, 1, 32, 64)}, "mask"),
            ({"mask": ones(1, 1, 32, 32, dtype=BOOL)}, "mask"),
            ({"fixed_triu_mask": True}, "fixed_triu_mask"),
        ],
    ),
    (
        "npu_moe_token_permute",
        {"tokens": ones(3, 4), "indices": whole(1, 0, 1)},
        [
            ({"indices": whole(1, 0)}, "indices"),
            ({"indices": ones(3)}, "indices"),
            ({"tokens": ones(3)}, "tokens"),
            ({"indices": torch.zeros(3, 1, 1, dtype=torch.int64)}, "indices"),
        ],
    ),
    (
        "npu_moe_token_unpermute",
        UNPERMUTE,
        [
            ({"probs": ones(3, 3)}, "probs"),
            ({"probs": ones(6)}, "probs"),
            ({"sorted_indices": torch.arange(6)}, "sorted_indices"),
            ({"permuted_tokens": ones(7, 4)}, "permuted_tokens"),
        ],
    ),
    (
        "npu_fusion_attention",
        ATTENTION,
        [
            ({"query": ones(2, 4, 6, 8, dtype=HALF)}, "key"),
            ({name: ATTENTION[name].double() for name in ("query", "key", "value")}, "query"),  # type: ignore[attr-defined]
            ({"head_num": 2}, "head_num"),
            ({"head_num": 0}, "head_num"),
            ({"input_layout": "BSHD"}, "input_layout"),
            ({"input_layout": "BSH"}, "query"),
            ({"key": ones(2, 3, 5, 8), "value": ones(2, 3, 5, 8)}, "key"),
            ({"key": ones(1, 2, 5, 8), "value": ones(1, 2, 5, 8)}, "key"),
            ({"value": ones(2, 2, 6, 8)}, "value"),
            ({"value": ones(2, 2, 5, 16)}, "D of query, key, value"),
            ({"key": ones(2, 2, 5, 4)}, "D of query, key, value"),
            ({"keep_prob": 0.0}, "keep_prob"),
            ({"keep_prob": 1.5}, "keep_prob"),
            ({"sparse_mode": 7, "atten_mask": CAUSAL}, "sparse_mode"),
            ({"sparse_mode": -1}, "sparse_mode"),
            ({"sparse_mode": 2}, "atten_mask"),
            ({"sparse_mode": 1}, "atten_mask"),
            ({"sparse_mode": 3, "atten_mask": ones(6, 5, dtype=BOOL)}, "atten_mask"),
            ({"sparse_mode": 2, "atten_mask": ~CAUSAL}, "atten_mask"),
            ({"sparse_mode": 4, "atten_mask": torch.zeros_like(CAUSAL)}, "atten_mask"),
            ({"atten_mask": ones(2, 4, 1, 5, dtype=BOOL)}, "atten_mask"),
            ({"atten_mask": ones(2, 1, 1, 5, dtype=BOOL)}, "atten_mask"),
            ({"atten_mask": ones(1, 5, dtype=BOOL)}, "atten_mask"),
            ({"atten_mask": ones(1, 4, 6, 5, dtype=BOOL)}, "atten_mask"),
            ({"atten_mask": ones(6, 5)}, "atten_mask"),
            ({"atten_mask": ones(6, 5, dtype=HALF)}, "atten_mask"),
            ({"pse": ones(6, 5)}, "pse"),
            ({"pse": ones(2, 4, 6, 5, dtype=HALF)}, "pse"),
            ({"actual_seq_qlen": [6, 12]}, "actual_seq_qlen"),
            ({"softmax_layout": "TND"}, "softmax_layout"),
        ],
    ),
    (
        "npu_fusion_attention",
        WIDE,
        [({"head_num": 3}, "head_num"), ({"key": ones(2, 5, 12)}, "key"), ({"value": ones(2, 5, 15)}, "value")],
    ),
    (
        "npu_fusion_attention",
        PACKED,
        [
            ({"actual_seq_qlen": [4, 8]}, "actual_seq_qlen"),
            ({"actual_seq_qlen": [4, 12]}, "actual_seq_qlen"),
            ({"actual_seq_kvlen": [4, 8]}, "actual_seq_kvlen"),
            ({"actual_seq_qlen": [6, 4, 10], "actual_seq_kvlen": [4, 6, 10]}, "actual_seq_qlen"),
            ({"actual_seq_qlen": [-1, 10]}, "actual_seq_qlen"),
            ({"actual_seq_qlen": [10]}, "actual_seq_qlen, actual_seq_kvlen"),
            ({"actual_seq_qlen": None, "actual_seq_kvlen": None}, "actual_seq_qlen, actual_seq_kvlen"),
            ({"actual_seq_qlen": [4, 8, 0], "actual_seq_kvlen": [4, 8, 10]}, "actual_seq_kvlen"),
            ({"actual_seq_qlen": [4, 12, 0], "actual_seq_kvlen": [4, 8, 0]}, "actual_seq_qlen"),
            ({"atten_mask": ones(10, 10, dtype=BOOL)}, "atten_mask"),
            ({"atten_mask": ones(2, 1, 6, 6, dtype=BOOL)}, "atten_mask"),
            ({"sparse_mode": 5, "atten_mask": CAUSAL}, "sparse_mode"),
        ],
    ),
    (
        "npu_grouped_matmul",
        GROUPED,
        [
            ({"group_type": None}, "group_type"),
            ({"group_type": 1}, "group_type"),
            ({"group_type": -1}, "group_list"),
            ({"split_item": 4}, "split_item"),
            ({"group_list": whole(2, 2, 4)}, "group_list"),
            ({"group_list": whole(2, 2, 6)}, "group_list"),
            ({"group_list": whole(3, 2, 5)}, "group_list"),
            ({"group_list": whole(2, 2, 2), "group_list_type": 1}, "group_list"),
            ({"group_list": whole(-1, 3, 3), "group_list_type": 1}, "group_list"),
            ({"group_list": whole(2, 5)}, "weight"),
            ({"group_list": whole(2, 2, 5).int()}, "group_list"),
            ({"group_list": [2, 2, 5]}, "group_type"),
            ({"group_list": None}, "group_list"),
            ({"x": [ones(5, 4)]}, "weight"),
            ({"x": [ones(5, 3, dtype=DOUBLE)]}, "x"),
            ({"x": [ones(5, 3, dtype=HALF)]}, "weight"),
            ({"bias": [ones(3, 4, dtype=HALF)]}, "bias"),
            ({"output_dtype": HALF}, "output_dtype"),
            ({"act_type": 1}, "act_type"),
            ({"x": []}, "x"),
        ],
    ),
    (
        "npu_grouped_matmul",
        ALONG_K,
        [({"group_list": whole(2, 2, 4)}, "group_list"), ({"weight": [ones(6, 3)]}, "weight"),
         ({"weight": [ones(3, 5, 3)]}, "weight")],
    ),
    ("npu_grouped_matmul", PAIRS, [({"x": [ones(2, 3)] * 2}, "weight"), ({"split_item": 3}, "split_item")]),
]  # fmt: skip
REFUSED = [
    pytest.param(name, {**taken, **change}, named, id=f"{name}-{named}-{number}")
    for name, taken, changes in CASES
    for number, (change, named) in enumerate(changes)
]


def moved(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.npu()  # type: ignore[attr-defined]
    tensors = isinstance(value, list) and value and isinstance(value[0], Tensor)
    return [moved(item) for item in value] if tensors else value


def called(name: str, arguments: dict[str, Any]) -> Any:
    return operators()[name](**{parameter: moved(value) for parameter, value in arguments.items()})


@pytest.mark.parametrize(("name", "taken"), [case[:2] for case in CASES], ids=[case[0] for case in CASES])
def test_what_variations_start_from_is_taken(name: str, taken: dict[str, Any]) -> None:
    called(name, taken)


@pytest.mark.parametrize(("name", "arguments", "named"), REFUSED)
def test_what_the_device_refuses(name: str, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ArgumentError, match=f"torch_npu.{name}: {named}: found .* expected "):
        called(name, arguments)


@pytest.mark.parametrize(
    "more",
    [
        {"sparse_mode": 3, "atten_mask": CAUSAL},
        {"sparse_mode": 4, "atten_mask": CAUSAL[None, None].to(torch.uint8), "pre_tockens": 2, "next_tockens": 0},
        {"sparse_mode": 1, "atten_mask": ones(6, 5, dtype=BOOL)},
        {"atten_mask": ones(2, 1, 6, 5, dtype=BOOL)},
        {"atten_mask": ones(1, 1, 6, 5, dtype=BOOL)},
        {"pse": ones(1, 4, 6, 5)},
        {"value": ones(2, 2, 5, 4), "input_layout": "bnsd"},
    ],
)
def test_forms_of_attention_that_are_taken(more: dict[str, Any]) -> None:
    assert called("npu_fusion_attention", {**ATTENTION, **more})[0].isfinite().all()


@pytest.mark.parametrize("lengths", [[0, 4, 10], [4, 4, 10], [4, 8, 0], [10, 10]])
def test_empty_sequences_and_those_left_out_are_taken(lengths: list[int]) -> None:
    result = called("npu_fusion_attention", {**PACKED, "actual_seq_qlen": lengths, "actual_seq_kvlen": lengths})[0]
    end = max(lengths)
    assert result.shape == (10, 2, 8)
    torch.testing.assert_close(result[:end], torch.ones_like(result[:end]))
    assert not result[end:].any()


@pytest.mark.parametrize(("name", "taken"), [case[:2] for case in CASES], ids=[case[0] for case in CASES])
def test_operators_are_the_devices(name: str, taken: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError, match=f"npu::{name}.*'CPU' backend"):
        operators()[name](**taken)
    places = {parameter: moved(value) for parameter, value in taken.items()}
    last = next(parameter for parameter in reversed(taken) if isinstance(taken[parameter], (Tensor, list)))
    if len([value for value in taken.values() if isinstance(value, Tensor)]) > 1 and isinstance(taken[last], Tensor):
        with pytest.raises(RuntimeError, match="same device"):
            operators()[name](**{**places, last: taken[last]})


@pytest.mark.parametrize("name", ["npu_format_cast", "get_npu_format", "get_storage_size", "npu_dtype_cast_"])
def test_functions_of_the_device_refuse_the_host(name: str) -> None:
    more = {"npu_format_cast": (2,), "npu_dtype_cast_": (HALF,)}.get(name, ())
    with pytest.raises(NotImplementedError, match=f"npu::{name}"):
        operators()[name](ones(2), *more)


@pytest.mark.parametrize("name", ["npu_rms_norm", "npu_swiglu", "npu_linear", "npu_format_cast", "get_npu_format"])
def test_none_in_the_place_of_a_tensor_is_named(name: str) -> None:
    more: tuple[Any, ...] = {"npu_rms_norm": (None,), "npu_linear": (None,), "npu_format_cast": (2,)}.get(name, ())
    with pytest.raises(RuntimeError, match=rf"npu::{name}\(\) Expected a value of type 'Tensor' for argument"):
        operators()[name](None, *more)


def test_rules_hold_through_torch_ops_and_in_a_graph() -> None:
    with pytest.raises(ArgumentError, match="npu_swiglu: self"):
        torch.ops.npu.npu_swiglu(ones(2, 3).npu())  # type: ignore[attr-defined]
    arguments = {name: moved(value) for name, value in {**ATTENTION, "atten_mask": CAUSAL, "sparse_mode": 3}.items()}
    graph = torch.compile(lambda options: operators()["npu_fusion_attention"](**options)[0], fullgraph=True)
    assert torch.equal(graph(arguments), operators()["npu_fusion_attention"](**arguments)[0])


def test_every_operator_with_rules_is_there_and_says_where_they_are_from() -> None:
    assert set(guard.RULES) <= set(operators())
    assert all("@" in rules.source for rules in guard.RULES.values())

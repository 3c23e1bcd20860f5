"""``npu_grouped_matmul``, and what the device refuses of it.

Source: Ascend/op-plugin `docs/zh/custom_APIs/torch_npu/torch_npu-npu_grouped_matmul.md`,
`op_plugin/ops/opapi/GroupedMatmulKernelNpuOpApi.cpp` @517f2e7d.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

import torch
from torch import Tensor

from cannery.extras.npu.rules import FLOATS, Arguments, Rules, ends, found

NOT_SPLIT, ROWS, COLUMNS = -1, 0, 2  # group_type: along nothing, M, K
_ENDS, _SIZES = 0, 1  # group_list_type
_MOST = 128
_BIAS: Mapping[torch.dtype, torch.dtype] = MappingProxyType(
    {torch.float16: torch.float16, torch.bfloat16: torch.float32, torch.float32: torch.float32}
)
_UNBUILT = (
    "scale", "offset", "antiquant_scale", "antiquant_offset", "per_token_scale", "activation_input",
    "activation_quant_scale", "activation_quant_offset",
)  # fmt: skip


def npu_grouped_matmul(
    x: list[Tensor],
    weight: list[Tensor],
    *,
    bias: list[Tensor] | None = None,
    scale: list[Tensor] | None = None,
    offset: list[Tensor] | None = None,
    antiquant_scale: list[Tensor] | None = None,
    antiquant_offset: list[Tensor] | None = None,
    per_token_scale: list[Tensor] | None = None,
    group_list: Tensor | list[int] | None = None,
    activation_input: list[Tensor] | None = None,
    activation_quant_scale: list[Tensor] | None = None,
    activation_quant_offset: list[Tensor] | None = None,
    split_item: int = 0,
    group_type: int | None = None,
    group_list_type: int = 0,
    act_type: int = 0,
    tuning_config: list[int] | None = None,
    output_dtype: torch.dtype | None = None,
) -> list[Tensor]:
    """A matmul a group: pairs of tensors, or one x split by ``group_list`` along its rows or its columns.

    Args:
        x: one (M, K), or one a group.
        weight: one (G, K, N), or one (K, N) a group; with ``group_type=2`` one (K, N).
        bias: (N,) a group, or one (G, N).
        group_list: ends of the groups, or their sizes with ``group_list_type=1``.
        split_item: 0 or 1 one result a group, 2 or 3 all in one: (M, N), with ``group_type=2`` (G, M, N).
        group_type: -1 pairs, 0 along M, 2 along K; needed unless ``group_list`` is a list of Python's.

    Raises:
        NotImplementedError: quantised operands, or ``group_list_type=2``.
    """
    given = dict(zip(_UNBUILT, (scale, offset, antiquant_scale, antiquant_offset, per_token_scale, activation_input,
                                activation_quant_scale, activation_quant_offset), strict=True))  # fmt: skip
    _refuse_quantised(given, group_list_type)
    sizes = None if group_list is None or len(x) > 1 else _sizes(group_list, group_list_type)
    rows = list(x) if sizes is None else list(x[0].split(sizes, 1 if group_type == COLUMNS else 0))
    weights = _weights(weight, sizes if group_type == COLUMNS else None)
    if len(rows) != len(weights):
        raise ValueError(f"npu_grouped_matmul: found {len(rows)} groups of x, expected {len(weights)}, as weight has")
    added = [None] * len(rows) if not bias else list(bias[0].unbind(0)) if bias[0].dim() == 2 else list(bias)
    results = [_product(r, w, b, output_dtype or r.dtype) for r, w, b in zip(rows, weights, added, strict=True)]
    if split_item not in (2, 3):
        return results
    return [torch.stack(results) if group_type == COLUMNS else torch.cat(results)]


def _refuse_quantised(given: Mapping[str, object], group_list_type: int) -> None:
    name = next((name for name, value in given.items() if value is not None and value != []), None)
    if name is not None:
        raise NotImplementedError(f"torch_npu.npu_grouped_matmul({name}=…): cannery has it for floats only")
    if group_list_type not in (_ENDS, _SIZES):
        raise NotImplementedError(
            f"torch_npu.npu_grouped_matmul(group_list_type={group_list_type}): cannery has 0 and 1"
        )


def _weights(weight: Sequence[Tensor], sizes: list[int] | None) -> list[Tensor]:
    if len(weight) > 1 or (weight[0].dim() == 2 and sizes is None):
        return list(weight)
    return list(weight[0].unbind(0) if weight[0].dim() == 3 else weight[0].split(sizes or [], 0))


def _product(x: Tensor, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> Tensor:
    product = x.float() @ weight.float()
    return (product if bias is None else product + bias.float()).to(dtype)


def _numbers(groups: Tensor | Sequence[int]) -> list[int]:
    return [int(number) for number in (groups.tolist() if isinstance(groups, Tensor) else groups)]


def _sizes(groups: Tensor | Sequence[int], kind: int) -> list[int]:
    numbers = _numbers(groups)
    return numbers if kind == _SIZES else [end - start for start, end in zip([0, *numbers], numbers, strict=False)]


def _lists(arguments: Arguments) -> str | None:
    for name in ("x", "weight"):
        if not 1 <= len(arguments[name]) <= _MOST:
            return found(name, f"{len(arguments[name])} tensors", f"1 to {_MOST}")
    return None


def _dtypes(arguments: Arguments) -> str | None:
    first = arguments["x"][0].dtype
    if first not in FLOATS:
        return found("x", first, " or ".join(map(str, FLOATS)))
    wanted = {"x": first, "weight": first, "bias": _BIAS[first]}
    for name, dtype in wanted.items():
        other = next((tensor.dtype for tensor in arguments[name] or () if tensor.dtype is not dtype), None)
        if other is not None:
            return found(name, other, f"{dtype} with an x of {first}")
    output = arguments["output_dtype"]
    return None if output in (None, first) else found("output_dtype", output, f"None or {first}, as x has")


def _kinds(arguments: Arguments) -> str | None:
    groups, kind, split = arguments["group_list"], arguments["group_type"], arguments["split_item"]
    if split not in range(4):
        return found("split_item", split, "0, 1, 2 or 3")
    if isinstance(groups, (list, tuple)):
        return None if kind is None else found("group_type", kind, "None where group_list is a list of Python's")
    if kind not in (NOT_SPLIT, ROWS, COLUMNS):
        return found("group_type", kind, f"{NOT_SPLIT}, {ROWS} or {COLUMNS}")
    if kind == NOT_SPLIT:
        if groups is not None:
            return found("group_list", "a tensor", f"None with group_type {NOT_SPLIT}")
        return None if split in (0, 1) else found("split_item", split, f"0 or 1 with group_type {NOT_SPLIT}")
    return None if groups is not None or len(arguments["x"]) > 1 else found("group_list", None, "the groups of x")


def _group_list(arguments: Arguments) -> str | None:
    groups = arguments["group_list"]
    if not isinstance(groups, Tensor):
        one = isinstance(groups, (list, tuple)) and len(groups) == 1
        return found("group_list", "1 number", "more, where it is a list of Python's") if one else None
    if groups.dim() != 1 or groups.dtype is not torch.int64:
        return found("group_list", f"{tuple(groups.shape)} of {groups.dtype}", "one dimension of torch.int64")
    return None


def _activation(arguments: Arguments) -> str | None:
    kind = arguments["act_type"]
    return None if kind == 0 else found("act_type", kind, "0: an activation is for operands quantised by token")


def _divides(arguments: Arguments) -> str | None:
    groups, x, kind = arguments["group_list"], arguments["x"], arguments["group_type"]
    if (
        groups is None
        or arguments["group_list_type"] not in (_ENDS, _SIZES)
        or (isinstance(groups, Tensor) and type(groups) is not Tensor)
    ):
        return None
    numbers = _numbers(groups)
    if arguments["group_list_type"] == _SIZES and any(number < 0 for number in numbers):
        return found("group_list", numbers, "no negative sizes")
    limits = numbers if arguments["group_list_type"] == _ENDS else list(accumulate(numbers))
    axis = 1 if kind == COLUMNS else 0
    broken = ends(limits, sum(tensor.shape[axis] for tensor in x), f"dimension {axis} of x")
    if broken is not None:
        return f"group_list: found {broken}"
    if len(x) == 1:
        return None
    own = list(accumulate(tensor.shape[axis] for tensor in x))
    return None if limits == own else found("group_list", numbers, f"the rows of each x, which end at {own}")


def _groups(arguments: Arguments) -> str | None:
    groups, weight, x = arguments["group_list"], arguments["weight"], arguments["x"]
    stacked = len(weight) == 1 and weight[0].dim() == 3
    count = weight[0].shape[0] if stacked else len(weight)
    if arguments["group_type"] == COLUMNS and len(weight) == 1:
        return None if weight[0].dim() == 2 else found("weight", tuple(weight[0].shape), "(K, N) with group_type 2")
    wanted = len(x) if groups is None or len(x) > 1 else len(groups)
    return None if count == wanted else found("weight", f"{count} groups", f"{wanted}, as x has")


def _inner(arguments: Arguments) -> str | None:
    across = arguments["group_type"] == COLUMNS
    for tensor in arguments["x"]:
        for other in arguments["weight"]:
            if len(arguments["x"]) == 1 and not across and tensor.shape[-1] != other.shape[-2]:
                return found("weight", tuple(other.shape), f"K {tensor.shape[-1]}, as x has")
    if across and len(arguments["weight"]) == 1 and arguments["x"][0].shape[1] != arguments["weight"][0].shape[0]:
        return found("weight", tuple(arguments["weight"][0].shape), f"K {arguments['x'][0].shape[1]}, as x has")
    return None


GROUPED = Rules(
    "Ascend/op-plugin docs/zh/custom_APIs/torch_npu/torch_npu-npu_grouped_matmul.md @517f2e7d",
    (_lists, _dtypes, _kinds, _group_list, _activation, _groups, _divides, _inner),
)

"""What the device refuses of its fused operators: a table of rules an operator, each with where it is written.

A rule looks at the arguments of a call and says what it found and expected, or nothing. The operators themselves
compute what they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import torch
from torch import Tensor

from cannery.extras.npu.device import get_device_name

Arguments = Mapping[str, Any]
# What is wrong, or None.
Rule = Callable[[Arguments], str | None]
FLOATS: Final = (torch.float16, torch.bfloat16, torch.float32)


class ArgumentError(RuntimeError, ValueError):
    """Arguments that the device refuses. A RuntimeError, as the device's own refusals are."""


@dataclass(frozen=True)
class Rules:
    """The rules of an operator.

    Attributes:
        source: where they are written: repository, path, commit.
        rules: in the order they are checked; a later one may rely on the earlier ones.
    """

    source: str
    rules: tuple[Rule, ...]

    def check(self, operator: str, arguments: Arguments) -> None:
        """Hold a call against them.

        Raises:
            ArgumentError: the first that is broken, with what was found and expected.
        """
        for rule in self.rules:
            broken = rule(arguments)
            if broken is not None:
                raise ArgumentError(f"torch_npu.{operator}: {broken}")


def found(parameter: str, value: object, expected: str) -> str:
    """The sentence for a broken rule."""
    return f"{parameter}: found {value}, expected {expected}"


def dtypes(parameter: str, *allowed: torch.dtype) -> Rule:
    """A tensor, if given, has one of these dtypes."""

    def rule(arguments: Arguments) -> str | None:
        tensor = arguments[parameter]
        if tensor is None or tensor.dtype in allowed:
            return None
        return found(parameter, tensor.dtype, " or ".join(map(str, allowed)))

    return rule


def same_dtype(first: str, *others: str) -> Rule:
    """Tensors, as far as given, have the first one's dtype."""

    def rule(arguments: Arguments) -> str | None:
        wanted = arguments[first].dtype
        for name in others:
            if arguments[name] is not None and arguments[name].dtype is not wanted:
                return found(name, arguments[name].dtype, f"{wanted}, as {first} has")
        return None

    return rule


def dims(parameter: str, least: int, most: int) -> Rule:
    """A tensor, if given, has that many dimensions."""

    def rule(arguments: Arguments) -> str | None:
        tensor = arguments[parameter]
        if tensor is None or least <= tensor.dim() <= most:
            return None
        return found(parameter, f"{tensor.dim()} dimensions", f"{least} to {most}" if least < most else f"{least}")

    return rule


def same_shape(first: str, other: str) -> Rule:
    """Two tensors have one shape."""

    def rule(arguments: Arguments) -> str | None:
        a, b = arguments[first].shape, arguments[other].shape
        return None if a == b else found(other, tuple(b), f"{tuple(a)}, as {first} has")

    return rule


def tail_of(parameter: str, whole: str) -> Rule:
    """A tensor has the last dimensions of another."""

    def rule(arguments: Arguments) -> str | None:
        shape, all_of_it = tuple(arguments[parameter].shape), tuple(arguments[whole].shape)
        if 0 < len(shape) <= len(all_of_it) and all_of_it[-len(shape) :] == shape:
            return None
        return found(parameter, shape, f"the last dimensions of {whole}, {all_of_it}")

    return rule


def broadcasts_to(parameter: str, whole: str) -> Rule:
    """Each dimension of a tensor is the other's, or 1; there are as many, or fewer."""

    def rule(arguments: Arguments) -> str | None:
        shape, wanted = tuple(arguments[parameter].shape), tuple(arguments[whole].shape)
        aligned = (1,) * (len(wanted) - len(shape)) + shape
        if len(aligned) == len(wanted) and all(a in (1, b) for a, b in zip(aligned, wanted, strict=True)):
            return None
        return found(parameter, shape, f"a shape that broadcasts to {whole}'s, {wanted}")

    return rule


def one_of(parameter: str, *allowed: object) -> Rule:
    """A value is one of these."""

    def rule(arguments: Arguments) -> str | None:
        value = arguments[parameter]
        return None if value in allowed else found(parameter, repr(value), " or ".join(map(repr, allowed)))

    return rule


def even(parameter: str, dim: str | int) -> Rule:
    """A dimension of a tensor, given or named by an argument, can be halved."""

    def rule(arguments: Arguments) -> str | None:
        tensor, at = arguments[parameter], arguments[dim] if isinstance(dim, str) else dim
        if not -tensor.dim() <= at < tensor.dim():
            return found("dim", at, f"{-tensor.dim()} to {tensor.dim() - 1}")
        size = tensor.shape[at]
        return None if size % 2 == 0 else found(parameter, f"{size} elements along dimension {at}", "an even number")

    return rule


def ends(values: Sequence[int], total: int, of: str) -> str | None:
    """What is wrong with ascending ends that divide ``total`` elements of something."""
    for i, (before, end) in enumerate(zip([0, *values], values, strict=False)):
        if end < before:
            return f"{end} behind {before} at position {i} in {list(values)}, expected ends that do not fall"
    last = values[-1] if values else 0
    return None if last == total else f"{last} as the last end in {list(values)}, expected {total}, as {of} has"


def _gamma(arguments: Arguments) -> str | None:
    x, gamma = arguments["self"].dtype, arguments["gamma"].dtype
    if gamma is x or (gamma is torch.float32 and x in FLOATS):
        return None
    return found("gamma", gamma, f"{x}, as self has, or torch.float32")


def _square_blocks(arguments: Arguments) -> str | None:
    rows, columns = arguments["x"].shape[-2:]
    if all(32 <= size <= 4096 and size % 32 == 0 for size in (rows, columns)):
        return None
    return found("x", f"{rows} x {columns} in the last dimensions", "multiples of 32 from 32 to 4096")


def _one_choice_a_token(arguments: Arguments) -> str | None:
    tokens, indices = arguments["tokens"], arguments["indices"]
    if tokens.shape[0] == indices.shape[0]:
        return None
    return found("indices", f"{indices.shape[0]} rows", f"{tokens.shape[0]}, as tokens has")


def _probs(arguments: Arguments) -> str | None:
    indices, probs = arguments["sorted_indices"], arguments["probs"]
    if probs is None or probs.numel() == indices.shape[0]:
        return None
    return found("probs", f"{probs.numel()} elements", f"{indices.shape[0]}, as sorted_indices has")


def _no_more_tokens(arguments: Arguments) -> str | None:
    rows, places = arguments["permuted_tokens"].shape[0], arguments["sorted_indices"].shape[0]
    return None if rows <= places else found("permuted_tokens", f"{rows} rows", f"at most {places}, as sorted_indices")


def _is_950() -> bool:
    return get_device_name().startswith("Ascend950")


_ROTARY_LAYOUTS: Mapping[str, tuple[int, tuple[int, ...]]] = MappingProxyType(
    # Number of dimensions; which of them, but the heads, the tables share with query and key.
    {"BSND": (4, (0, 1)), "SBND": (4, (0, 1)), "BNSD": (4, (0, 2)), "TND": (3, (0,))}
)


def _rotary_layout(arguments: Arguments) -> str | None:
    layout = arguments["layout"]
    allowed = tuple(_ROTARY_LAYOUTS) if _is_950() else ("BSND", "TND")
    if layout not in allowed:
        return found("layout", repr(layout), f"{' or '.join(allowed)} on {get_device_name()}")
    dimensions, shared = _ROTARY_LAYOUTS[layout]
    query = arguments["query"]
    for name in ("query", "key", "cos", "sin"):
        tensor = arguments[name]
        if tensor.dim() != dimensions:
            return found(name, f"{tensor.dim()} dimensions", f"{dimensions}, as {layout} has")
        if any(tensor.shape[at] != query.shape[at] for at in (*shared, -1)):
            return found(name, tuple(tensor.shape), f"query's {tuple(query.shape)} but for the heads")
    heads = {"BNSD": 1}.get(layout, -2)
    odd = next((name for name in ("cos", "sin") if arguments[name].shape[heads] != 1), None)
    return None if odd is None else found(odd, f"{arguments[odd].shape[heads]} heads", "1")


def _rotary_width(arguments: Arguments) -> str | None:
    width = arguments["query"].shape[-1]
    if _is_950():
        return None if width <= 1024 and width % 2 == 0 else found("query", f"width {width}", "even, at most 1024")
    return None if width in (64, 128) else found("query", f"width {width}", f"64 or 128 on {get_device_name()}")


def _rotary_mode(arguments: Arguments) -> str | None:
    allowed = ("half", "interleave", "quarter") if _is_950() else ("half",)
    mode = arguments["rotary_mode"]
    return None if mode in allowed else found("rotary_mode", repr(mode), f"{' or '.join(allowed)} here")


_DOCS = "Ascend/op-plugin docs/zh/custom_APIs/torch_npu/"
_ROPE = tuple(dtypes(name, *FLOATS) for name in ("self", "r1", "r2"))

FUSED: Mapping[str, Rules] = MappingProxyType(
    {
        "npu_rms_norm": Rules(
            _DOCS + "(beta)torch_npu-npu_rms_norm.md @517f2e7d",
            (dtypes("self", *FLOATS), dims("self", 1, 8), tail_of("gamma", "self"), _gamma),
        ),
        "npu_add_rms_norm": Rules(
            "hicann/ops-nn norm/add_rms_norm/op_host/op_api/aclnn_add_rms_norm.cpp @e5c3fa9",
            (
                dtypes("x1", *FLOATS),
                same_dtype("x1", "x2", "gamma"),
                dims("x1", 1, 8),
                same_shape("x1", "x2"),
                tail_of("gamma", "x1"),
            ),
        ),
        "npu_rotary_mul": Rules(
            _DOCS + "torch_npu-npu_rotary_mul.md @517f2e7d",
            (
                *_ROPE,
                *(dims(name, 3, 4) for name in ("self", "r1", "r2")),
                one_of("rotary_mode", "half", "interleave"),
                even("self", -1),
                same_shape("r1", "r2"),
                broadcasts_to("r1", "self"),
            ),
        ),
        "npu_apply_rotary_pos_emb": Rules(
            _DOCS + "torch_npu-apply_rotary_pos_emb.md @517f2e7d",
            (dtypes("query", *FLOATS), same_dtype("query", "key", "cos", "sin"), _rotary_mode, _rotary_layout,
             _rotary_width),
        ),
        "npu_swiglu": Rules(
            _DOCS + "(beta)torch_npu-npu_swiglu.md @517f2e7d",
            (dtypes("self", *FLOATS), dims("self", 1, 8), even("self", "dim")),
        ),
        "npu_fast_gelu": Rules(_DOCS + "torch_npu-npu_fast_gelu.md @517f2e7d", (dtypes("self", *FLOATS),)),
        "npu_gelu": Rules(
            _DOCS + "torch_npu-npu_gelu.md @517f2e7d",
            (dtypes("self", *FLOATS), one_of("approximate", "none", "tanh")),
        ),
        "npu_scaled_masked_softmax": Rules(
            _DOCS + "torch_npu-npu_scaled_masked_softmax.md @517f2e7d",
            (
                dtypes("x", *FLOATS),
                dims("x", 4, 4),
                _square_blocks,
                dtypes("mask", torch.bool),
                broadcasts_to("mask", "x"),
                one_of("fixed_triu_mask", False),
            ),
        ),
        "npu_moe_token_permute": Rules(
            "Ascend/op-plugin op_plugin/utils/KernelNpuOutputSize.cpp @517f2e7d",
            (
                dtypes("tokens", *FLOATS),
                dims("tokens", 2, 2),
                dims("indices", 1, 2),
                dtypes("indices", torch.int32, torch.int64),
                _one_choice_a_token,
            ),
        ),
        "npu_moe_token_unpermute": Rules(
            "Ascend/op-plugin op_plugin/utils/KernelNpuOutputSize.cpp @517f2e7d",
            (
                dtypes("permuted_tokens", *FLOATS),
                dims("permuted_tokens", 2, 2),
                dims("sorted_indices", 1, 1),
                dtypes("sorted_indices", torch.int32),
                dims("probs", 2, 2),
                _probs,
                _no_more_tokens,
            ),
        ),
    }
)  # fmt: skip


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors of an argument."""
    if isinstance(value, Tensor):
        return [value]
    return [tensor for item in value for tensor in tensors_in(item)] if isinstance(value, (list, tuple)) else []

"""What the device refuses of ``npu_fusion_attention``.

Source: Ascend/op-plugin `docs/zh/custom_APIs/torch_npu/torch_npu-npu_fusion_attention.md` and
`op_plugin/ops/opapi/FlashAttentionKernelNpuOpApi.cpp` @517f2e7d.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

from cannery.extras.npu.rules import FLOATS, Arguments, Rules, dtypes, ends, found, same_dtype

NO_MASK, LEFT_UP_CAUSAL, BAND, PREFIX, PREFIX_COMPRESSED, LAST_MODE = 0, 2, 4, 5, 6, 8
ALIBI_ROWS = 1024  # of a position bias that is given by its last rows
COMPRESSED = 2048  # rows and columns of the mask that stands for a structure
_WIDEST_HEAD, _MOST_HEADS = 768, 256
_DIMENSIONS: Mapping[str, int] = MappingProxyType({"BSH": 3, "SBH": 3, "BNSD": 4, "BSND": 4, "TND": 3})
# Where a layout has batch, sequence, heads and width; None where heads and width share a dimension, or batch and
# sequence do.
_AXES: Mapping[str, tuple[int | None, int, int | None, int]] = MappingProxyType(
    {"BSH": (0, 1, None, 2), "SBH": (1, 0, None, 2), "BNSD": (0, 2, 1, 3), "BSND": (0, 1, 2, 3), "TND": (None, 0, 1, 2)}
)


@dataclass(frozen=True)
class Sizes:
    """A query, key or value, by the names of its dimensions. Without a batch of its own, ``batch`` is 1."""

    batch: int
    sequence: int
    heads: int
    width: int

    @classmethod
    def of(cls, tensor: Tensor, layout: str, heads: int) -> Sizes:
        """Read them; ``heads`` is for layouts that do not say."""
        batch, sequence, own_heads, width = _AXES[layout]
        count = heads if own_heads is None else tensor.shape[own_heads]
        wide = tensor.shape[width] // max(count, 1) if own_heads is None else tensor.shape[width]
        return cls(1 if batch is None else tensor.shape[batch], tensor.shape[sequence], count, wide)


def key_heads(query: Tensor, key: Tensor, layout: str, head_num: int) -> int:
    """Heads of key and value: as wide as the query's, where the layout does not tell."""
    axis = _AXES[layout][2]
    if axis is not None:
        return key.shape[axis]
    width = query.shape[-1] // head_num
    return key.shape[-1] // max(width, 1)


def _all_sizes(arguments: Arguments) -> tuple[Sizes, Sizes, Sizes]:
    layout, heads = arguments["input_layout"].upper(), arguments["head_num"]
    query, key, value = (arguments[name] for name in ("query", "key", "value"))
    fewer = key_heads(query, key, layout, heads)
    return Sizes.of(query, layout, heads), Sizes.of(key, layout, fewer), Sizes.of(value, layout, fewer)


def _layout(arguments: Arguments) -> str | None:
    layout = arguments["input_layout"].upper()
    if layout not in _DIMENSIONS:
        return found("input_layout", repr(arguments["input_layout"]), " or ".join(_DIMENSIONS))
    for name in ("query", "key", "value"):
        if arguments[name].dim() != _DIMENSIONS[layout]:
            return found(name, f"{arguments[name].dim()} dimensions", f"{_DIMENSIONS[layout]}, as {layout} has")
    softmax = arguments["softmax_layout"]
    if softmax not in ("", "TND") or (softmax and layout != "TND"):
        return found("softmax_layout", repr(softmax), "'', or 'TND' with input_layout 'TND'")
    return None


def _head_num(arguments: Arguments) -> str | None:
    heads, layout, width = arguments["head_num"], arguments["input_layout"].upper(), arguments["query"].shape[-1]
    axis = _AXES[layout][2]
    if heads <= 0:
        return found("head_num", heads, "more than 0")
    if axis is not None and arguments["query"].shape[axis] != heads:
        return found("head_num", heads, f"{arguments['query'].shape[axis]}, as query has")
    if axis is None and width % heads:
        return found("head_num", heads, f"a divisor of query's width {width}")
    return None if heads <= _MOST_HEADS else found("head_num", heads, f"at most {_MOST_HEADS}")


def _operands(arguments: Arguments) -> str | None:
    query, key, value = _all_sizes(arguments)
    fused = _AXES[arguments["input_layout"].upper()][2] is None
    if fused and (not query.width or arguments["key"].shape[-1] % query.width):
        return found("key", f"width {arguments['key'].shape[-1]}", f"a multiple of {query.width}, a head of query")
    if not key.heads or query.heads % key.heads:
        return found("key", f"{key.heads} heads", f"a divisor of query's {query.heads}")
    if fused and arguments["value"].shape[-1] % key.heads:
        return found("value", f"width {arguments['value'].shape[-1]}", f"a multiple of key's {key.heads} heads")
    if (key.batch, key.sequence, key.heads) != (value.batch, value.sequence, value.heads):
        return found("value", tuple(arguments["value"].shape), f"key's {tuple(arguments['key'].shape)} but for D")
    if query.batch != key.batch:
        return found("key", f"batch {key.batch}", f"{query.batch}, as query has")
    if query.width != key.width or not value.width <= key.width <= _WIDEST_HEAD:
        widths = f"{query.width}, {key.width}, {value.width}"
        return found("D of query, key, value", widths, f"two alike and a third no wider, at most {_WIDEST_HEAD}")
    return None


def _keep_prob(arguments: Arguments) -> str | None:
    keep = arguments["keep_prob"]
    return None if 0 < keep <= 1 else found("keep_prob", keep, "more than 0, at most 1")


def _sparse_mode(arguments: Arguments) -> str | None:
    mode, packed = arguments["sparse_mode"], arguments["input_layout"].upper() == "TND"
    allowed = [m for m in range(LAST_MODE + 1) if (m != PREFIX if packed else m <= PREFIX_COMPRESSED)]
    if mode not in allowed:
        return found("sparse_mode", mode, f"one of {', '.join(map(str, allowed))} with this layout")
    if mode != NO_MASK and arguments["atten_mask"] is None:
        return found(
            "atten_mask", None, f"the mask that sparse_mode {mode} needs; without one the device masks nothing"
        )
    return None


def _lengths(arguments: Arguments) -> str | None:
    given = arguments["actual_seq_qlen"], arguments["actual_seq_kvlen"]
    if arguments["input_layout"].upper() != "TND":
        name = next((n for n in ("actual_seq_qlen", "actual_seq_kvlen") if arguments[n]), None)
        return None if name is None else found(name, arguments[name], "none: it is for input_layout 'TND'")
    if not all(given) or len(given[0]) != len(given[1]):
        numbers = " and ".join(str(len(ends_ or ())) for ends_ in given)
        return found("actual_seq_qlen, actual_seq_kvlen", f"{numbers} lengths", "as many of one as of the other, not 0")
    return _packed(arguments, *given)


def _packed(arguments: Arguments, queries: Sequence[int], keys: Sequence[int]) -> str | None:
    left_out = len(queries) - len(without_left_out(queries))
    if left_out != len(keys) - len(without_left_out(keys)):
        return found("actual_seq_kvlen", list(keys), f"{left_out} zeros at the end, as actual_seq_qlen has")
    for name, given, operand in (("actual_seq_qlen", queries, "query"), ("actual_seq_kvlen", keys, "key")):
        taken, total = without_left_out(given), arguments[operand].shape[0]
        # Sequences that are left out leave rows behind the last end.
        broken = ends(taken, min(taken[-1], total) if left_out and taken else total, operand)
        if broken is not None:
            return f"{name}: found {broken}"
    return None


def without_left_out(values: Sequence[int]) -> list[int]:
    """Ends without the zeros behind them, which stand for sequences that take no part."""
    taken = list(values)
    while taken and taken[-1] == 0:
        taken.pop()
    return taken


def _mask(arguments: Arguments) -> str | None:
    mask, mode = arguments["atten_mask"], arguments["sparse_mode"]
    if mask is None:
        return None
    if LEFT_UP_CAUSAL <= mode <= BAND:
        return _structure(mask)
    query, key, _ = _all_sizes(arguments)
    if arguments["input_layout"].upper() == "TND":
        rows, columns = (_longest(arguments[name]) for name in ("actual_seq_qlen", "actual_seq_kvlen"))
        forms: list[tuple[int, ...]] = [(rows, columns)]
    else:
        rows, columns, batch = query.sequence, key.sequence, query.batch
        forms = [(batch, query.heads, rows, columns), (batch, 1, rows, columns), (1, 1, rows, columns), (rows, columns)]
    return None if tuple(mask.shape) in forms else found("atten_mask", tuple(mask.shape), _either(forms))


def _longest(given: Sequence[int]) -> int:
    taken = without_left_out(given)
    return max((end - start for start, end in zip([0, *taken], taken, strict=False)), default=0)


def _either(forms: Sequence[tuple[int, ...]]) -> str:
    return " or ".join(dict.fromkeys(map(str, forms)))


def _structure(mask: Tensor) -> str | None:
    wanted = f"torch.triu(torch.ones({COMPRESSED}, {COMPRESSED}), 1), which sparse_mode 2 to 4 take"
    if tuple(mask.shape) not in ((COMPRESSED, COMPRESSED), (1, 1, COMPRESSED, COMPRESSED)):
        return found("atten_mask", tuple(mask.shape), wanted)
    # A tensor that stands for one, while a graph is made, has no values to look at.
    if type(mask) is not Tensor or mask.is_meta or torch._C._functorch.is_functorch_wrapped_tensor(mask):
        return None
    causal = torch.ones(COMPRESSED, COMPRESSED, dtype=torch.bool, device=mask.device).triu(1)
    return (
        None
        if torch.equal(mask.view(COMPRESSED, COMPRESSED).bool(), causal)
        else found("atten_mask", "other values", wanted)
    )


def _pse(arguments: Arguments) -> str | None:
    pse = arguments["pse"]
    if pse is None:
        return None
    if arguments["sparse_mode"] > PREFIX_COMPRESSED:
        return found("pse", "a tensor", f"none with sparse_mode {arguments['sparse_mode']}")
    query, key, _ = _all_sizes(arguments)
    if arguments["input_layout"].upper() == "TND":
        return None
    batch, heads, rows, columns = query.batch, query.heads, query.sequence, key.sequence
    forms = [(batch, heads, rows, columns), (batch, heads, 1, columns), (1, heads, rows, columns)]
    if rows > ALIBI_ROWS:
        forms += [(batch, heads, ALIBI_ROWS, columns), (1, heads, ALIBI_ROWS, columns)]
    return None if tuple(pse.shape) in forms else found("pse", tuple(pse.shape), _either(forms))


ATTENTION = Rules(
    "Ascend/op-plugin docs/zh/custom_APIs/torch_npu/torch_npu-npu_fusion_attention.md @517f2e7d",
    (
        dtypes("query", *FLOATS),
        same_dtype("query", "key", "value", "pse"),
        _layout,
        _head_num,
        _operands,
        _keep_prob,
        _sparse_mode,
        _lengths,
        dtypes("atten_mask", torch.bool, torch.uint8),
        _mask,
        _pse,
    ),
)

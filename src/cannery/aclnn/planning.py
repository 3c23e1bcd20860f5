"""What phase 1 works out: check, shapes, tiling. The same request gives the same plan, so plans are kept.

The original keeps them too (the op cache of hicann/opbase `src/nnopbase/composite_op/aclnn_engine/op_executor.cpp`
@aa3cd74), and callers cannot tell.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final

from cannery.core import AclnnStatus, DataType, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import ACLNN, AttrType, CallContext, Operator, staged
from cannery.operator.staged import Prepared
from cannery.runtime import RuntimeFault
from cannery.soc import Soc

INVALID = AclnnStatus.ACLNN_ERR_PARAM_INVALID
KEPT_PLANS = 64
# How a host check is told that null was passed for an output.
_NULL_OUTPUT = TensorDesc(DataType.DT_UNDEFINED, Shape(()))
_SWITCH: Final = threading.Lock()


@dataclass(frozen=True)
class Request:
    """All that a plan depends on.

    Attributes:
        inputs, outputs: None where null was passed.
        attributes: in the definition's order; None for a null string.
        is_deterministic: whether sums must have a fixed order.
    """

    inputs: tuple[TensorDesc | None, ...]
    attributes: tuple[Any, ...]
    outputs: tuple[TensorDesc | None, ...]
    chip: Soc
    quirks: bool
    is_deterministic: bool


Planner = Callable[[Request], Prepared]


def planner(operator: Operator, names: tuple[str, ...]) -> Planner:
    """What plans calls of an operator whose attributes are passed in that order.

    It raises RuntimeFault: the status of the first check that fails.
    """
    return lru_cache(maxsize=KEPT_PLANS)(partial(_plan, operator, names))


def _plan(operator: Operator, names: tuple[str, ...], request: Request) -> Prepared:
    if operator.definition.aicore:
        _check_dtypes(operator, request)
    try:
        return _stages(Prepared(operator, _context(operator, names, request)), request)
    except OperatorError as error:
        code = error.code if isinstance(error.code, AclnnStatus) else ACLNN.codes[error.stage]
        where = f"{error.operator}: {error.stage.value}: {error.parameter}"
        raise RuntimeFault(code, where, error.found, error.expected) from error


def _check_dtypes(operator: Operator, request: Request) -> None:
    """A generated wrapper compares each tensor with the data types that are registered."""
    for param, desc in zip(operator.definition.tensors, request.inputs + request.outputs, strict=True):
        if desc is not None and desc.dtype not in param.dtypes:
            known = ", ".join(dict.fromkeys(dtype.short for dtype in param.dtypes))
            raise RuntimeFault(INVALID, param.name, desc.dtype.short, known)


def _context(operator: Operator, names: tuple[str, ...], request: Request) -> CallContext:
    given = dict(zip(names, request.attributes, strict=True))
    buffers = tuple(_NULL_OUTPUT if desc is None else desc for desc in request.outputs)
    context = staged.bind(operator, request.inputs, given, soc=request.chip, quirks=request.quirks, buffers=buffers)
    # A null string stays null, for a host check to judge; elsewhere absent would mean the default.
    strings = {attr.name for attr in operator.definition.attributes if attr.type is AttrType.STRING}
    nulls = {name: None for name, value in given.items() if value is None and name in strings}
    return replace(context, attrs=MappingProxyType({**context.attrs, **nulls})) if nulls else context


def _stages(call: Prepared, request: Request) -> Prepared:
    call = staged.advance(call, Stage.INFER_SHAPE)
    for param, desc in zip(call.operator.definition.outputs, request.outputs, strict=True):
        if desc is None:
            raise RuntimeFault(INVALID, param.name, "null", "a tensor: the output is required")
    with _determinism(request.is_deterministic):
        return staged.advance(call)


def torch_is_deterministic() -> bool:
    """What the program has set in torch, not what another thread's plan has put there for a moment."""
    import torch

    with _SWITCH:
        return torch.are_deterministic_algorithms_enabled()


@contextmanager
def _determinism(wanted: bool) -> Iterator[None]:
    """Tiling reads the switch from torch: the runtime's option is put there for as long as it takes."""
    import torch

    with _SWITCH:
        before = torch.are_deterministic_algorithms_enabled()
        if wanted == before:
            yield
            return
        warns = torch.is_deterministic_algorithms_warn_only_enabled()
        torch.use_deterministic_algorithms(wanted, warn_only=warns)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before, warn_only=warns)

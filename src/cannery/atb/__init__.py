"""ATB: operations, contexts, graphs. Parameter classes such as ``UnpadWithHiddenStateParam`` come from definitions.

    >>> from cannery import atb
    >>> operation = atb.CreateOperation(atb.UnpadWithHiddenStateParam(qSeqLen=[3, 5], maxSeqLen=8))
    >>> size = operation.Setup(pack, context)
    >>> operation.Execute(pack, workspace, size, context)

Names are loaded when first used: looking for ``torch_atb`` here must not load torch.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cannery.atb.context import Context, CreateContext, DestroyContext
    from cannery.atb.counters import Counters
    from cannery.atb.errors import MKI_TO_ATB, MkiStatus
    from cannery.atb.graph import Chunk, GraphOperation, GraphParam, Node
    from cannery.atb.operation import Operation
    from cannery.atb.pool import RunnerPool, RunnerTypeRegister
    from cannery.atb.single import (
        CloneOperationParam,
        CreateOperation,
        DestroyOperation,
        GetExecuteStreamId,
        OpsOperation,
        SetExecuteStreamId,
        UpdateOperationParam,
    )
    from cannery.atb.types import ExecuteType, LaunchMode, MaxSizeExceededError, SVector, Tensor, VariantPack

__all__ = [
    "MKI_TO_ATB",
    "Chunk",
    "CloneOperationParam",
    "Context",
    "Counters",
    "CreateContext",
    "CreateOperation",
    "DestroyContext",
    "DestroyOperation",
    "ExecuteType",
    "GetExecuteStreamId",
    "GraphOperation",
    "GraphParam",
    "LaunchMode",
    "MaxSizeExceededError",
    "MkiStatus",
    "Node",
    "Operation",
    "OpsOperation",
    "RunnerPool",
    "RunnerTypeRegister",
    "SVector",
    "SetExecuteStreamId",
    "Tensor",
    "UpdateOperationParam",
    "VariantPack",
]

_PLACES = {
    "context": "Context CreateContext DestroyContext",
    "counters": "Counters",
    "errors": "MKI_TO_ATB MkiStatus",
    "graph": "Chunk GraphOperation GraphParam Node",
    "operation": "Operation",
    "pool": "RunnerPool RunnerTypeRegister",
    "single": "CloneOperationParam CreateOperation DestroyOperation GetExecuteStreamId OpsOperation SetExecuteStreamId "
    "UpdateOperationParam",
    "types": "ExecuteType LaunchMode MaxSizeExceededError SVector Tensor VariantPack",
}
_LAZY = MappingProxyType({name: module for module, names in _PLACES.items() for name in names.split()})


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    if name.endswith("Param"):
        from cannery.atb.params import find_class

        found = find_class(name)
        if found is not None:
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from cannery.atb.params import param_classes

    return sorted({*globals(), *__all__, *param_classes()})

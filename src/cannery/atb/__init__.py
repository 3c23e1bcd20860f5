"""ATB: operations, contexts, graphs. Parameter classes such as ``UnpadWithHiddenStateParam`` come from definitions.

>>> from cannery import atb
>>> operation = atb.CreateOperation(atb.UnpadWithHiddenStateParam(qSeqLen=[3, 5], maxSeqLen=8))
>>> size = operation.Setup(pack, context)
>>> operation.Execute(pack, workspace, size, context)
"""

from typing import Any

from cannery.atb.context import Context, CreateContext, DestroyContext
from cannery.atb.counters import Counters
from cannery.atb.errors import MKI_TO_ATB, MkiStatus
from cannery.atb.graph import Chunk, GraphOperation, GraphParam, Node
from cannery.atb.operation import Operation
from cannery.atb.params import param_classes
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


def __getattr__(name: str) -> Any:
    if name.endswith("Param") and name in param_classes():
        return param_classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *param_classes()})

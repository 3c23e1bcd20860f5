"""How an operator is declared, found and called."""

from cannery.operator.context import CallContext, Operator, TilingResult
from cannery.operator.contract import ACLNN, ATB, GE, Contract
from cannery.operator.definition import (
    AICoreConfig,
    Attribute,
    AttrType,
    OperatorDefinition,
    Quirk,
    TensorParam,
    TorchConfig,
)
from cannery.operator.registry import UnknownOperatorError, all_operators, find_operator, register_operator
from cannery.operator.run import RunResult, run

__all__ = [
    "ACLNN",
    "ATB",
    "GE",
    "AICoreConfig",
    "AttrType",
    "Attribute",
    "CallContext",
    "Contract",
    "Operator",
    "OperatorDefinition",
    "Quirk",
    "RunResult",
    "TensorParam",
    "TilingResult",
    "TorchConfig",
    "UnknownOperatorError",
    "all_operators",
    "find_operator",
    "register_operator",
    "run",
]

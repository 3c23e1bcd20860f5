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
from cannery.operator.findings import FindingError, FindingWarning
from cannery.operator.registry import UnknownOperatorError, all_operators, find_operator, register_operator
from cannery.operator.run import RunResult, run
from cannery.operator.validity import DefinitionError

__all__ = [
    "ACLNN",
    "ATB",
    "GE",
    "AICoreConfig",
    "AttrType",
    "Attribute",
    "CallContext",
    "Contract",
    "DefinitionError",
    "FindingError",
    "FindingWarning",
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

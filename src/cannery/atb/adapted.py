"""An operator of another framework as an operation of ATB.

ATB makes an operation of a parameter alone, and looks at the tensors in InferShape and again in Setup. The checks of
other frameworks want the tensors, so they run there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

from cannery.core import AtbStatus, Stage, TensorDesc
from cannery.operator import ATB, CallContext, Operator, TilingResult

TILING_BLOCK: Final = 32


@cache
def as_atb(operator: Operator) -> Operator:
    """The operator with ATB's codes and ATB's order of checks; one of ATB's own is itself."""
    if operator.definition.contract is ATB:
        return operator

    def infer_shape(context: CallContext) -> tuple[TensorDesc, ...]:
        operator.check(context)
        return operator.infer_shape(context)

    def tiling(context: CallContext) -> TilingResult:
        _check_outputs(context, infer_shape(context))
        result = operator.tiling(context)
        # ATB takes an empty structure for a tiling that failed; elsewhere an operator may have none.
        return result if result.data else replace(result, data=bytes(TILING_BLOCK))

    definition = replace(operator.definition, contract=ATB)
    return replace(operator, definition=definition, check=_check, infer_shape=infer_shape, tiling=tiling)


def _check(context: CallContext) -> None:
    """The parameter alone has no rules: attributes were converted when they were bound."""


def _check_outputs(context: CallContext, inferred: tuple[TensorDesc, ...]) -> None:
    for param, given, wanted in zip(context.definition.outputs, context.outputs, inferred, strict=False):
        if given.dtype is not wanted.dtype:
            code = AtbStatus.ERROR_INVALID_TENSOR_DTYPE
            raise context.error(Stage.TILING, param.name, given.dtype.short, wanted.dtype.short, code)
        if given.shape != wanted.shape:
            code = AtbStatus.ERROR_INVALID_TENSOR_DIM
            raise context.error(Stage.TILING, param.name, given.shape, wanted.shape, code)

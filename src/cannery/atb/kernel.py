"""The kernel of an operation: whether it can run a call, how large its tiling is, its tiling, its launch.

Source: ascend-transformer-boost `src/kernels/mixkernels/` @ddcc8b6; the order of ``init`` is that of Mki's KernelBase.
"""

from __future__ import annotations

from collections.abc import Sequence

from cannery.atb.adapted import as_atb
from cannery.atb.errors import KernelError, MkiStatus
from cannery.core import Stage, Tensor
from cannery.operator import CallContext, Operator, TilingResult, UnknownOperatorError, find_operator, staged
from cannery.operator.staged import Prepared

NODE_ALIGNMENT = 32
ENGINE = "eager"


def align(value: int, step: int) -> int:
    """The next multiple of a step."""
    return -(-value // step) * step


def described(operator: Operator, call: CallContext) -> Prepared:
    """A call whose outputs the caller describes: Setup infers nothing."""
    return Prepared(operator, call, Stage.INFER_SHAPE)


def _counts(inputs: Sequence[object], outputs: Sequence[object]) -> str:
    return f"{len(inputs)} inputs and {len(outputs)} outputs"


class Kernel:
    """The one kernel that an operation of this name has."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator

    @classmethod
    def best(cls, operation: str) -> Kernel:
        """The kernel of an operation by its name.

        Raises:
            KernelError: no such operation.
        """
        try:
            return cls(as_atb(find_operator(operation)))
        except UnknownOperatorError as failure:
            raise KernelError(MkiStatus.ERROR_OPERATION_NOT_EXIST, "operation", operation, failure) from None

    @property
    def name(self) -> str:
        """The kernel's name."""
        return f"{self.operator.name}Kernel"

    def can_support(self, call: CallContext) -> bool:
        """Whether numbers of tensors and the parameter are this kernel's; the tensors themselves are checked above."""
        definition = self.operator.definition
        counts = (len(call.inputs), len(call.outputs)) == (len(definition.inputs), len(definition.outputs))
        return counts and call.definition is definition

    def init(self, call: CallContext) -> Prepared:
        """Check, then tiling.

        Raises:
            KernelError: the call is not this kernel's.
            OperatorError: the checks of Setup or the tiling refuse it.
        """
        definition = self.operator.definition
        prepared = staged.advance(described(self.operator, call))
        if not self.can_support(call):
            found, expected = _counts(call.inputs, call.outputs), _counts(definition.inputs, definition.outputs)
            raise KernelError(MkiStatus.ERROR_INVALID_VALUE, self.name, found, expected)
        inferred = staged.advance(Prepared(self.operator, call, Stage.CHECK), Stage.INFER_SHAPE).context.outputs
        staged.hold_outputs(call, inferred)
        return prepared

    @staticmethod
    def tiling_size(result: TilingResult) -> int:
        """Bytes the tiling of a node takes: whole blocks of 32."""
        return align(len(result.data), NODE_ALIGNMENT)

    def launch(self, call: Prepared, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> None:
        """Compute into the outputs, with the engine that the settings name where the operator has it.

        Raises:
            OperatorError: the engine refuses the call.
        """
        engine = staged.choose_engine(self.operator, None, ENGINE)
        staged.launch(call, inputs, outputs, engine)

"""Rules of the tensors of both operators, and what they infer: one is the other with the layouts exchanged."""

from __future__ import annotations

from dataclasses import dataclass

from cannery.core import Shape, Stage, TensorDesc
from cannery.operator import CallContext
from cannery.operator.frameworks import atb
from cannery.ops._hidden_state.batch import Batch


@dataclass(frozen=True)
class Direction:
    """From packed rows [sum(qSeqLen), H] to a padded batch [B, maxSeqLen, H], or back."""

    pads: bool

    def shapes(self, context: CallContext) -> tuple[Shape, Shape]:
        """What x and the output must be."""
        batch = Batch.of(context)
        shapes = batch.packed_shape, batch.padded_shape
        return shapes if self.pads else shapes[::-1]

    def infer_shape(self, context: CallContext) -> tuple[TensorDesc, ...]:
        """The output has x's data type and format.

        Raises:
            OperatorError: at stage infer_shape.
        """
        atb.check_inputs(context)
        x, (wanted, inferred) = context.required("x"), self.shapes(context)
        atb.check_shape(context, Stage.INFER_SHAPE, "x", x.shape, wanted)
        return (TensorDesc(x.dtype, inferred, x.format),)

    def check_setup(self, context: CallContext) -> None:
        """Setup: every ATB rule, then x, then the output.

        Raises:
            OperatorError: at stage tiling.
        """
        atb.check_setup(context)
        wanted, inferred = self.shapes(context)
        atb.check_shape(context, Stage.TILING, "x", context.required("x").shape, wanted)
        atb.check_shape(context, Stage.TILING, "output", context.outputs[0].shape, inferred)


PAD, UNPAD = Direction(pads=True), Direction(pads=False)

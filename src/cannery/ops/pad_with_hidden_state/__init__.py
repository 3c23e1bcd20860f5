"""PadWithHiddenState, whole: definition, checks, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops._hidden_state.contract import check
from cannery.ops._hidden_state.direction import PAD
from cannery.ops.pad_with_hidden_state import kernel
from cannery.ops.pad_with_hidden_state.definition import DEFINITION
from cannery.ops.pad_with_hidden_state.eager import launch
from cannery.ops.pad_with_hidden_state.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    check=check,
    infer_shape=PAD.infer_shape,
    tiling=tiling,
    engines={"eager": launch, "aicore": kernel.launch},
    golden="cannery.ops.pad_with_hidden_state.golden",
)

"""UpdateTensorDesc, whole: definition, shape inference, tiling, engines."""

from cannery.operator import Operator
from cannery.ops.update_tensor_desc import kernel
from cannery.ops.update_tensor_desc.definition import DEFINITION
from cannery.ops.update_tensor_desc.eager import launch
from cannery.ops.update_tensor_desc.infershape import infer_shape
from cannery.ops.update_tensor_desc.tiling import tiling

OPERATOR = Operator(
    definition=DEFINITION,
    # The original has no host check of its own: the rules stand in shape inference and in tiling.
    check=lambda context: None,
    infer_shape=infer_shape,
    tiling=tiling,
    engines={"eager": launch, "aicore": kernel.launch},
    golden="cannery.ops.update_tensor_desc.golden",
)

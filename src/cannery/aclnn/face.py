"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="aclnn",
    summary="two-phase calls",
    packages={"aclnn": "cannery.aclnn"},
    runner="two-phase call",
    spelling="cannery.aclnn.naming:spelling",
    example="exec examples/aclnn/kl_loss_grad.py",
)

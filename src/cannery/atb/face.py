"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="atb",
    summary="ATB's operations and graphs",
    packages={"torch_atb": "cannery.atb.torch_atb"},
    runner="OpsRunner, Operation",
    title="torch_atb",
    spelling="cannery.atb.params:spelling",
    brings=("torch_npu",),
    example="exec examples/torch_atb/single_operator.py",
)

"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="torch",
    summary="operators of torch.library",
    packages={"cann_ops_transformer": "cannery.pytorch.cann_ops_transformer"},
    runner="torch.library operator",
    spelling="cannery.pytorch.schema:spelling",
    example="exec examples/npu/indexer_metadata.py",
)

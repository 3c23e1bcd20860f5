"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="ge",
    summary="graphs of the official ge package",
    packages={"ge": "cannery.ge"},
    runner="GE graph node",
    spelling="cannery.ge.es.functions:spelling",
    example="exec examples/ge/update_tensor_desc.py",
)

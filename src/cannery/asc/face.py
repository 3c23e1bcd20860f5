"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="asc",
    summary="kernels in pyasc's language",
    packages={"asc": "cannery.asc"},
    example="exec --check examples/asc/add_queue.py",
)

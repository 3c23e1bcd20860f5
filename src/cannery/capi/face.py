"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="capi",
    summary="headers and a library for C and C++ programs",
    example="capi build build/capi",
)

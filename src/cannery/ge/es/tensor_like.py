"""Numbers and nested lists in place of tensors. Source: hicann/ge `api/python/ge/ge/es/tensor_like.py` @ffdcbc9f."""

from __future__ import annotations

from typing import Any

from cannery.core import GeStatus
from cannery.ge.error import GeError
from cannery.ge.es.graph_builder import GraphBuilder
from cannery.ge.es.tensor_holder import TensorHolder

__all__ = ["convert_to_tensor_holder", "resolve_builder"]


def convert_to_tensor_holder(value: Any, owner_builder: GraphBuilder) -> TensorHolder | None:
    """A tensor, or None, as it is; a number or nested lists as a constant: int64, or float with a float in it.

    Raises:
        TypeError: something else, also inside a list.
        ValueError: lists of one level that differ in length.
    """
    if value is None or isinstance(value, TensorHolder):
        return value
    flat, shape = flattened(value)
    has_float = any(isinstance(number, float) for number in flat)
    create = owner_builder.create_const_float if has_float else owner_builder.create_const_int64
    return create(flat if shape else flat[0], shape)


def resolve_builder(*values: Any) -> GraphBuilder:
    """The builder among these, or that of the first tensor.

    Raises:
        GeError: GRAPH_PARAM_INVALID: there is none.
    """
    for value in values:
        if isinstance(value, GraphBuilder):
            return value
        if isinstance(value, TensorHolder):
            owner: GraphBuilder = value.get_owner_builder()
            return owner
    message = "found no tensors, expected one, or owner_builder="
    raise GeError(message, api_name="resolve_builder", code=GeStatus.GRAPH_PARAM_INVALID)


def flattened(value: Any) -> tuple[list[int | float], list[int]]:
    """The numbers of nested lists, and the shape of the lists: none for a bare number.

    Raises:
        TypeError: an element that is no number; ValueError: lists of one level that differ in length.
    """
    if isinstance(value, (int, float)):
        return [value], []
    if not isinstance(value, list):
        raise TypeError(f"found {value!r:.80}, expected a TensorHolder, a number, or nested lists of numbers")
    parts = [flattened(item) for item in value]
    shapes = [shape for _, shape in parts]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError(f"found lists of shapes {shapes}, expected all of one shape")
    return [number for flat, _ in parts for number in flat], [len(parts), *(shapes[0] if shapes else [])]

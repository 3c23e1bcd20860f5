"""An operator's function, from its definition: ``UpdateTensorDesc(x, *, shape)``.

Tensors go by position, optional ones default to None; attributes go by keyword, required ones without a default.
Source of the form: hicann/ge `docs/en/user_guides/es_graph/tools/gen_esb.md` @ffdcbc9f.
"""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from cannery.core import trimmed
from cannery.ge.error import calling
from cannery.ge.es.graph_builder import GraphBuilder
from cannery.ge.es.tensor_holder import TensorHolder
from cannery.ge.es.tensor_like import convert_to_tensor_holder, resolve_builder
from cannery.operator import AttrType, Operator, OperatorDefinition

_TYPES: dict[AttrType, Any] = {
    AttrType.INT: int,
    AttrType.FLOAT: float,
    AttrType.BOOL: bool,
    AttrType.STRING: str,
    AttrType.LIST_INT: list[int],
}
OWNER = "owner_builder"


def operator_function(operator: Operator) -> Callable[..., Any]:
    """The function. Attributes may also be given in snake case."""
    definition = operator.definition
    signature = _signature(definition)
    names = {attr.snake_name: attr.name for attr in definition.attributes}
    result = _result(definition)

    def function(*args: Any, **kwargs: Any) -> Any:
        given = {names.get(name, name): value for name, value in kwargs.items()}
        bound = signature.bind(*args, **given).arguments
        given_tensors = [bound.get(param.name) for param in definition.inputs]
        attrs = {attr.name: bound[attr.name] for attr in definition.attributes if attr.name in bound}
        with calling(definition.name):
            builder = resolve_builder(*given_tensors, bound.get(OWNER))
        tensors = [convert_to_tensor_holder(tensor, builder) for tensor in given_tensors]
        outputs = builder.apply(definition.name, trimmed(tensors), attrs)
        return outputs[0] if len(outputs) == 1 else result(*outputs)

    function.__name__ = function.__qualname__ = definition.name
    function.__doc__ = _doc(definition)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def spelling(operator: Operator) -> str:
    """How a program calls the function, without annotations and the parameter that all have."""
    parameters = _signature(operator.definition).parameters.values()
    plain = [parameter.replace(annotation=parameter.empty) for parameter in parameters if parameter.name != OWNER]
    return f"ge.es.all.{operator.name}{inspect.Signature(plain)}"


def _signature(definition: OperatorDefinition) -> inspect.Signature:
    kind = inspect.Parameter
    required = [kind(p.name, kind.POSITIONAL_OR_KEYWORD, annotation=TensorHolder) for p in _by_need(definition, False)]
    optional = [
        kind(p.name, kind.POSITIONAL_OR_KEYWORD, default=None, annotation=TensorHolder | None)
        for p in _by_need(definition, True)
    ]
    attributes = [
        kind(
            attr.name,
            kind.KEYWORD_ONLY,
            default=kind.empty if attr.required else attr.default,
            annotation=_TYPES[attr.type],
        )
        for attr in definition.attributes
        if not attr.internal
    ]
    owner = kind(OWNER, kind.KEYWORD_ONLY, default=None, annotation=GraphBuilder | None)
    returns = TensorHolder if len(definition.outputs) == 1 else tuple[TensorHolder, ...]
    return inspect.Signature([*required, *optional, *attributes, owner], return_annotation=returns)


def _by_need(definition: OperatorDefinition, optional: bool) -> list[Any]:
    return [param for param in definition.inputs if param.optional is optional]


def _result(definition: OperatorDefinition) -> Callable[..., Any]:
    """What several outputs come in: a tuple with their names."""
    return namedtuple(f"{definition.name}Output", [param.name for param in definition.outputs])


def _doc(definition: OperatorDefinition) -> str:
    lines = [definition.summary, "", "Args:"]
    lines += [f"    {param.name}: {param.shape}. {param.doc}".rstrip() for param in definition.inputs]
    lines += [f"    {a.name}: {a.doc} {a.limits}".rstrip() for a in definition.attributes if not a.internal]
    lines += [f"    {OWNER}: the builder, where no tensor says it.", "", f"Source: {definition.source}"]
    return "\n".join(lines)

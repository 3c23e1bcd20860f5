"""A torch schema from an operator's definition: names, order, which arguments are keyword-only, defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from cannery.operator import Attribute, AttrType, Operator, OperatorDefinition

_TYPES = MappingProxyType(
    {
        AttrType.INT: "int",
        AttrType.FLOAT: "float",
        AttrType.BOOL: "bool",
        AttrType.STRING: "str",
        AttrType.LIST_INT: "int[]",
    }
)


def is_offered(operator: Operator) -> bool:
    """Whether an operator is in ``torch.ops``."""
    return "torch" in operator.definition.faces


def spelling(operator: Operator) -> str:
    """How a program calls an operator; empty for one without the face."""
    if not is_offered(operator):
        return ""
    return f"torch.ops.{operator.definition.torch.namespace}.{operator.definition.snake_name}(…)"


@dataclass(frozen=True)
class TorchSchema:
    """How torch calls an operator: what is required by position, the rest by keyword.

    Attributes:
        positional: required tensors, then required attributes.
        keywords: optional tensors, then optional attributes.
    """

    definition: OperatorDefinition
    positional: tuple[str, ...]
    keywords: tuple[str, ...]
    tensors: frozenset[str]

    @classmethod
    def of(cls, definition: OperatorDefinition) -> TorchSchema:
        """Derive it."""
        required = [p.name for p in definition.inputs if not p.optional]
        optional = [p.name for p in definition.inputs if p.optional]
        needed = [a.snake_name for a in definition.attributes if a.required]
        others = [a.snake_name for a in definition.attributes if not a.required and not a.internal]
        return cls(
            definition, tuple(required + needed), tuple(optional + others), frozenset(required) | frozenset(optional)
        )

    @property
    def text(self) -> str:
        """The schema; an absent attribute is spelled by its value, or None where the definition says so."""
        arguments = [f"{self._type(arg)} {arg}" for arg in self.positional]
        keywords = ["*", *map(self._keyword, self.keywords)] if self.keywords else []
        results = ", ".join("Tensor" for _ in self.definition.outputs)
        returns = results if len(self.definition.outputs) == 1 else f"({results})"
        return f"{self.definition.snake_name}({', '.join([*arguments, *keywords])}) -> {returns}"

    def bind(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], defaults: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Tensors and attributes by name; ``defaults`` fill in what the dispatcher left out."""
        given = {**defaults, **dict(zip(self.positional, args, strict=False)), **kwargs}
        inputs = {name: value for name, value in given.items() if name in self.tensors}
        return inputs, {name: value for name, value in given.items() if name not in self.tensors and value is not None}

    def _attribute(self, name: str) -> Attribute:
        attribute = self.definition.attribute(name)
        assert attribute is not None, name
        return attribute

    def _type(self, name: str) -> str:
        if name in self.tensors:
            return "Tensor"
        spelled = _TYPES[self._attribute(name).type]
        # Where absent ones are None they are sizes, which tracing may not know.
        return f"Sym{spelled.title()}" if self.definition.torch.has_none_defaults and "int" in spelled else spelled

    def _keyword(self, name: str) -> str:
        if name in self.tensors:
            return f"Tensor? {name}=None"
        config = self.definition.torch
        default = None if config.has_none_defaults else config.defaults.get(name, self._attribute(name).default)
        if default is None:
            return f"{self._type(name)}? {name}=None"
        spelled = json.dumps(default) if isinstance(default, str) else str(default)
        return f"{self._type(name)} {name}={list(default) if isinstance(default, tuple) else spelled}"

"""How each entry point spells an operator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType

from cannery.operator import Operator


def spellings(operator: Operator) -> list[tuple[str, str]]:
    """Pairs of an entry point and the call, for those that offer the operator."""
    made = [(title, spell(operator)) for title, spell in _SPELLINGS.items()]
    return [(title, text) for title, text in made if text]


def _run(operator: Operator) -> str:
    return f'cannery.run("{operator.name}", inputs, attrs)'


def _ge(operator: Operator) -> str:
    from cannery.ge.es.functions import OWNER, operator_function

    parameters = inspect.signature(operator_function(operator)).parameters.values()
    plain = [parameter.replace(annotation=parameter.empty) for parameter in parameters if parameter.name != OWNER]
    return f"ge.es.all.{operator.name}{inspect.Signature(plain)}"


def _aclnn(operator: Operator) -> str:
    if "aclnn" not in operator.definition.faces:
        return ""
    return f"aclnn{operator.name}GetWorkspaceSize(…), aclnn{operator.name}(…)"


def _atb(operator: Operator) -> str:
    if "atb" not in operator.definition.faces:
        return ""
    members = ", ".join(attr.snake_name for attr in operator.definition.attributes if not attr.internal)
    return f"torch_atb.Operation(torch_atb.{operator.name}Param({members})).forward([…])"


def _torch(operator: Operator) -> str:
    if "torch" not in operator.definition.faces:
        return ""
    return f"torch.ops.cann_ops_transformer.{operator.definition.snake_name}(…)"


_SPELLINGS: Mapping[str, Callable[[Operator], str]] = MappingProxyType(
    {"Python": _run, "ge": _ge, "aclnn": _aclnn, "torch_atb": _atb, "torch": _torch}
)

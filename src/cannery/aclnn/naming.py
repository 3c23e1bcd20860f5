"""The C names and prototypes of an operator's two phases, from its definition."""

from __future__ import annotations

import re

from cannery.operator import Attribute, AttrType, Operator, OperatorDefinition, TensorParam, all_operators
from cannery.runtime.prototype import Prototype, parse

_WORDS = {"seqlen": "seqLen", "seqlens": "seqLens", "seqused": "seqUsed"}
_ATTRIBUTE_TYPES = {
    AttrType.INT: "int64_t ",
    AttrType.FLOAT: "double ",
    AttrType.BOOL: "bool ",
    AttrType.STRING: "char *",
    AttrType.LIST_INT: "const aclIntArray *",
}


def aclnn_operators() -> dict[str, Operator]:
    """Every operator that has the face, by each name its functions go by, without ``aclnn``."""
    operators = [operator for operator in all_operators().values() if "aclnn" in operator.definition.faces]
    return {name: operator for operator in operators for name in names(operator.definition)}


def names(definition: OperatorDefinition) -> tuple[str, ...]:
    """The operator's own name, and the one the original's C functions have where it differs by a version."""
    folder = re.search(r"(\w+) @", definition.source)
    if folder is None or folder[1].replace("_v2", "") != definition.snake_name or folder[1] == definition.snake_name:
        return (definition.name,)
    versioned = "".join(word.capitalize() for word in folder[1].split("_"))
    return (definition.name, versioned)


def spelling(operator: Operator) -> str:
    """How a program calls an operator; empty for one without the face."""
    if "aclnn" not in operator.definition.faces:
        return ""
    return f"aclnn{operator.name}GetWorkspaceSize(…), aclnn{operator.name}(…)"


def phase_one(name: str, definition: OperatorDefinition) -> Prototype:
    """``aclnn<Op>GetWorkspaceSize``: inputs, attributes, outputs, then what it gives back."""
    parameters = [
        *(f"const aclTensor *{_tensor_name(param)}" for param in definition.inputs),
        *(f"{_ATTRIBUTE_TYPES[attr.type]}{_attribute_name(attr)}" for attr in visible(definition)),
        *(f"const aclTensor *{_output_name(definition, param)}" for param in definition.outputs),
        "out uint64_t *workspaceSize",
        "out aclOpExecutor **executor",
    ]
    return parse(f"aclnnStatus aclnn{name}GetWorkspaceSize({', '.join(parameters)})")


def phase_two(name: str) -> Prototype:
    """``aclnn<Op>``, alike for all."""
    parameters = "void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream"
    return parse(f"aclnnStatus aclnn{name}({parameters})")


def visible(definition: OperatorDefinition) -> tuple[Attribute, ...]:
    """The attributes that a caller passes."""
    return tuple(attr for attr in definition.attributes if not attr.internal)


def header_name(name: str) -> str:
    """The file below ``aclnnop/`` that declares an operator's functions."""
    snake = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3_\2\4", name).lower()
    return f"aclnn_{snake}.h"


def camel(name: str) -> str:
    """``cuSeqLensQ`` for ``cu_seqlens_q``."""
    words = [_WORDS.get(word, word) for word in name.split("_")]
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:])


def _tensor_name(param: TensorParam) -> str:
    return camel(param.name) + ("Optional" if param.optional else "")


def _output_name(definition: OperatorDefinition, param: TensorParam) -> str:
    """Its name; an output that shares it with an input or attribute, as those computed in place do, ends in ``Out``."""
    others = (*(each.name for each in definition.inputs), *(each.snake_name for each in definition.attributes))
    return camel(param.name) + ("Out" if param.name in others else "")


def _attribute_name(attribute: Attribute) -> str:
    return camel(attribute.snake_name)

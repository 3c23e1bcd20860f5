"""An operator's contract as plain values (dicts, lists, strings, numbers): what ``ops --json`` and the page print."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
from typing import Any

from cannery.core import Stage
from cannery.operator import Attribute, Operator, OperatorDefinition, TensorParam
from cannery.operator.staged import default_soc
from cannery.soc import Soc, all_socs

CHIP_FIELDS = ("name", "short_name", "npu_arch", "ai_cores", "aic_cores", "aiv_cores", "ub_size", "l2_size")


def outline(operator: Operator) -> dict[str, Any]:
    """What the list of operators says about one."""
    definition = operator.definition
    return {
        "name": definition.name,
        "snake_name": definition.snake_name,
        "category": definition.category,
        "summary": definition.summary,
        "engines": list(operator.engines),
        "socs": list(definition.socs),
        "default_soc": default_soc(definition).name,
        "framework": definition.contract.name,
        "faces": list(definition.faces),
        "source": definition.source,
    }


def describe(operator: Operator) -> dict[str, Any]:
    """Everything there is to know about an operator."""
    definition = operator.definition
    return outline(operator) | {
        "inputs": [_tensor(param) for param in definition.inputs],
        "outputs": [_tensor(param) for param in definition.outputs],
        "dtype_columns": [
            {param.name: param.dtypes[_column(param, index)].short for param in definition.tensors}
            for index in range(definition.column_count)
        ],
        "attributes": [_attribute(attribute) for attribute in definition.attributes if not attribute.internal],
        "internal_attributes": [_attribute(attribute) for attribute in definition.attributes if attribute.internal],
        "statuses": _statuses(definition),
        "chips": [_chip(chip) for chip in all_socs() if chip.short_name in definition.socs],
        "aicore": None if definition.aicore is None else _plain(asdict(definition.aicore)),
        "quirks": [asdict(quirk) for quirk in definition.quirks],
        "constraints": list(definition.constraints),
        "tables": {title: [list(row) for row in rows] for title, rows in definition.tables.items()},
        "golden": operator.golden,
    }


def _column(param: TensorParam, index: int) -> int:
    return index if len(param.dtypes) > 1 else 0


def _tensor(param: TensorParam) -> dict[str, Any]:
    return {
        "name": param.name,
        "optional": param.optional,
        "is_read": param.is_read,
        "dtypes": [dtype.short for dtype in param.dtypes],
        "formats": [format_.short for format_ in param.formats],
        "shape": param.shape,
        "doc": param.doc,
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "snake_name": attribute.snake_name,
        "type": attribute.type.value,
        "required": attribute.required,
        "default": None if attribute.required else _plain(attribute.default),
        "limits": attribute.limits,
        "doc": attribute.doc,
    }


def _statuses(definition: OperatorDefinition) -> dict[str, dict[str, Any]]:
    """The framework's own answer of each stage; a rule may have another code."""
    codes = definition.contract.codes
    return {stage.value: {"name": codes[stage].name, "code": int(codes[stage])} for stage in Stage}


def _chip(chip: Soc) -> dict[str, Any]:
    return {field: getattr(chip, field) for field in CHIP_FIELDS}


def _plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value

"""How an operator is declared. Everything derivable (torch schema, help, pages) is derived from this."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from cannery.core import INT64_MAX, DataType, Format
from cannery.faces import all_faces
from cannery.operator.contract import Contract
from cannery.operator.validity import (
    DefinitionError,
    Rule,
    hold,
    hold_unique,
    is_a,
    is_function_or_none,
    is_name,
    is_tuple_of,
)
from cannery.soc import all_socs


class AttrType(Enum):
    """Type of an attribute, in GE's words."""

    INT = "Int"
    FLOAT = "Float"
    BOOL = "Bool"
    STRING = "String"
    LIST_INT = "ListInt"


@dataclass(frozen=True)
class Attribute:
    """An attribute (an ATB parameter member).

    Attributes:
        name: the original's spelling; calls may also use its snake_case form.
        default: value when absent; meaningless when ``required``.
        limits: the legal range in words, for help and pages.
        internal: a member that no user sets, such as a reserved field.
        case_keys: names it has besides in the case files of the original's own tests; no other face reads them.
    """

    name: str
    type: AttrType
    doc: str = ""
    limits: str = ""
    required: bool = False
    default: Any = None
    internal: bool = False
    case_keys: tuple[str, ...] = ()

    @property
    def snake_name(self) -> str:
        """The name as Python faces spell it: ``qSeqLen`` is ``q_seq_len``."""
        return snake_case(self.name)


@dataclass(frozen=True)
class TensorParam:
    """An input or output.

    Attributes:
        dtypes: one entry a column; column k of every tensor belongs together.
        formats: one entry a column, or a single one for all columns.
        shape: the shape in words.
        optional: may be absent.
        is_read: whether the kernel reads its data (a placeholder's is never read).
    """

    name: str
    dtypes: tuple[DataType, ...]
    shape: str = ""
    doc: str = ""
    formats: tuple[Format, ...] = (Format.FORMAT_ND,)
    optional: bool = False
    is_read: bool = True

    def format_of(self, column: int) -> Format:
        """The format of a dtype column."""
        return self.formats[0] if len(self.formats) == 1 else self.formats[column]


@dataclass(frozen=True)
class AICoreConfig:
    """The AI-core registration of a GE operator (``OpAICoreConfig``), with the original's flag names in snake case."""

    socs: tuple[str, ...]
    dynamic_compile_static: bool = True
    dynamic_format: bool = False
    dynamic_rank_support: bool = True
    dynamic_shape_support: bool = True
    need_check_support: bool = False
    precision_reduce: bool = False
    op_file: str = ""


@dataclass(frozen=True)
class TorchConfig:
    """How ``torch.library`` offers an operator that has the face ``torch``.

    Attributes:
        namespace: it is ``torch.ops.<namespace>.<snake name>``.
        has_none_defaults: whether the schema spells absent attributes None; otherwise by their default.
        backward, setup_context: as ``torch.library.register_autograd`` takes them; without a backward, results carry no
            gradient. torch allows one only where no input is optional.
        defaults: attributes whose default in the schema is another than everywhere else.
    """

    namespace: str = "cann_ops_transformer"
    has_none_defaults: bool = False
    backward: Callable[..., Any] | None = None
    setup_context: Callable[..., Any] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Quirk:
    """Where the original's code is wrong or undefined: what cannery does by default, and what ``quirks=True`` does."""

    name: str
    default: str
    faithful: str


@dataclass(frozen=True)
class OperatorDefinition:
    """An operator's contract.

    Attributes:
        name: CANN's type, CamelCase.
        category: folder of the original library (control, train, attention …).
        socs: short names of the chips it is made for; the first is the default chip.
        default_soc: full name of the default chip when it is not the representative of the first short name.
        faces: the entry points the original has (ge, aclnn, atb, torch); each offers the operator.
        torch: how it stands in ``torch.ops``, where it has that face.
        source: repository, path and commit the contract was read from.
        tables: facts that ``cannery ops show`` prints as tables: title to rows, first row the header.
        keeps_buffers: the caller's output buffers may have another shape or data type than is inferred: the operator
            judges them itself. Otherwise the call is refused.
        is_atb_fixed: ATB's operation has no pool of runners, and its parameter can be neither cloned nor updated.

    Raises:
        DefinitionError: a field that cannot be used.
    """

    name: str
    category: str
    summary: str
    source: str
    contract: Contract
    inputs: tuple[TensorParam, ...]
    outputs: tuple[TensorParam, ...]
    attributes: tuple[Attribute, ...]
    socs: tuple[str, ...]
    default_soc: str = ""
    aicore: AICoreConfig | None = None
    torch: TorchConfig = TorchConfig()
    quirks: tuple[Quirk, ...] = ()
    constraints: tuple[str, ...] = ()
    faces: tuple[str, ...] = ()
    tables: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=lambda: MappingProxyType({}))
    keeps_buffers: bool = False
    is_atb_fixed: bool = False

    def __post_init__(self) -> None:
        hold(str(self.name), self, _DEFINITION)
        for params, kind in ((self.inputs, "input"), (self.outputs, "output")):
            for param in params:
                self._hold_tensor(kind, param)
        for attribute in self.attributes:
            self._hold_attribute(attribute)
        names = [param.name for param in self.inputs]
        hold_unique(self.name, "inputs", names)
        hold_unique(self.name, "outputs", [param.name for param in self.outputs])
        hold_unique(self.name, "attributes", [*names, *(attribute.snake_name for attribute in self.attributes)])
        self._hold_socs()
        self._hold_faces()
        self._hold_torch()

    def _hold_tensor(self, kind: str, param: TensorParam) -> None:
        where = f"{self.name}: {kind} {param.name!r}"
        hold(where, param, _TENSOR)
        first, columns = self.tensors[0], len(param.dtypes)
        if columns != len(first.dtypes):
            expected = f"{len(first.dtypes)}, as {first.name!r} has: column k of every tensor belongs together"
            raise DefinitionError(f"{where}: dtypes", f"{columns} columns", expected)
        if len(param.formats) not in (1, columns):
            raise DefinitionError(
                f"{where}: formats", f"{len(param.formats)} columns", f"1 or {columns}, as dtypes has"
            )

    def _hold_attribute(self, attribute: Attribute) -> None:
        where = f"{self.name}: attribute {attribute.name!r}"
        hold(where, attribute, _ATTRIBUTE)
        holds, expected = _DEFAULTS[attribute.type]
        if not (attribute.required or attribute.default is None or holds(attribute.default)):
            raise DefinitionError(f"{where}: default", repr(attribute.default), f"{expected}, or None for none")

    def _hold_socs(self) -> None:
        known = list(dict.fromkeys(chip.short_name for chip in all_socs()))
        stranger = next((name for name in self.socs if name not in known), None)
        if stranger is not None:
            raise DefinitionError(f"{self.name}: socs", repr(stranger), f"short names among {', '.join(known)}")
        if self.default_soc and self.default_soc not in [chip.name for chip in all_socs()]:
            raise DefinitionError(f"{self.name}: default_soc", repr(self.default_soc), "the full name of a chip")
        if self.aicore is None:
            return
        hold(f"{self.name}: aicore", self.aicore, _AICORE)
        stranger = next((name for name in self.aicore.socs if name not in self.socs), None)
        if stranger is not None:
            expected = f"names among the operator's socs: {', '.join(self.socs)}"
            raise DefinitionError(f"{self.name}: aicore: socs", repr(stranger), expected)

    def _hold_faces(self) -> None:
        known = [face.name for face in all_faces().values() if face.runner]
        faces = self.faces if isinstance(self.faces, tuple) else (self.faces,)
        stranger = next((name for name in faces if name not in known), None)
        if stranger is not None or faces is not self.faces:
            found = repr(self.faces if faces is not self.faces else stranger)
            raise DefinitionError(f"{self.name}: faces", found, f"a tuple of {', '.join(known)}")

    def _hold_torch(self) -> None:
        where = f"{self.name}: torch"
        hold(where, self.torch, _TORCH)
        stranger = next((name for name in self.torch.defaults if self.attribute(name) is None), None)
        if stranger is not None:
            known = ", ".join(attribute.snake_name for attribute in self.attributes)
            raise DefinitionError(f"{where}: defaults", repr(stranger), f"attributes among {known or 'none'}")
        optional = next((param.name for param in self.inputs if param.optional), None)
        if self.torch.backward is not None and optional is not None:
            raise DefinitionError(f"{where}: backward", "one", f"none beside the optional input {optional!r}")

    @property
    def snake_name(self) -> str:
        """``update_tensor_desc`` for ``UpdateTensorDesc``; capitals in a row stay together."""
        return snake_case(self.name)

    @property
    def column_count(self) -> int:
        """Number of dtype columns."""
        return max((len(param.dtypes) for param in self.tensors), default=0)

    @property
    def tensors(self) -> tuple[TensorParam, ...]:
        """Inputs, then outputs."""
        return self.inputs + self.outputs

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of that name, in either spelling."""
        return self._attributes_by_spelling.get(name)

    def input_index(self, name: str) -> int:
        """Position of a named input.

        Raises:
            KeyError: the operator has no such input.
        """
        position = self._input_positions.get(name)
        if position is None:
            known = ", ".join(self._input_positions) or "none, it has no inputs"
            raise KeyError(f"{self.name}: inputs: found {name!r}, expected one of {known}")
        return position

    # A call looks these up many times; each is built once a definition.
    @cached_property
    def _attributes_by_spelling(self) -> dict[str, Attribute]:
        return {name: attr for attr in reversed(self.attributes) for name in (attr.snake_name, attr.name)}

    @cached_property
    def _input_positions(self) -> dict[str, int]:
        return {param.name: index for index, param in enumerate(self.inputs)}


_TENSOR = (
    Rule("name", is_name, "a name such as 'x'"),
    Rule("dtypes", is_tuple_of(DataType, 1), "a tuple of members of DataType, one a column"),
    Rule("shape", is_a(str), "text: the shape in words"),
    Rule("doc", is_a(str), "text"),
    Rule("formats", is_tuple_of(Format, 1), "a tuple of members of Format, one, or one a column"),
    Rule("optional", is_a(bool), "True or False"),
    Rule("is_read", is_a(bool), "True or False"),
)
_ATTRIBUTE = (
    Rule("name", is_name, "a name such as 'axis'"),
    Rule("type", is_a(AttrType), "a member of AttrType such as AttrType.INT"),
    Rule("doc", is_a(str), "text"),
    Rule("limits", is_a(str), "text: the legal range in words"),
    Rule("required", is_a(bool), "True or False"),
    Rule("internal", is_a(bool), "True or False"),
)
_SOCS = Rule("socs", is_tuple_of(str, 1), "a tuple of short names such as ('Ascend910B',)")
_TORCH = (
    Rule("namespace", is_name, "a name such as 'mine'"),
    Rule("has_none_defaults", is_a(bool), "True or False"),
    Rule("backward", is_function_or_none, "a function, or None"),
    Rule("setup_context", is_function_or_none, "a function, or None"),
    Rule("defaults", is_a(Mapping), "a mapping from attribute to default"),
)
_AICORE = (_SOCS, Rule("op_file", is_a(str), "the name of a file"))
_DEFINITION = (
    Rule("name", is_name, "CANN's type, a name such as 'UpdateTensorDesc'"),
    Rule("category", is_a(str), "text"),
    Rule("summary", is_a(str), "text"),
    Rule("source", is_a(str), "text: repository, path and commit"),
    Rule("contract", is_a(Contract), "one of GE, ATB, ACLNN of cannery.operator"),
    Rule("inputs", is_tuple_of(TensorParam), "a tuple of TensorParam"),
    Rule("outputs", is_tuple_of(TensorParam), "a tuple of TensorParam"),
    Rule("attributes", is_tuple_of(Attribute), "a tuple of Attribute"),
    _SOCS,
    Rule("default_soc", is_a(str), "the full name of a chip"),
    Rule("aicore", is_a(AICoreConfig, type(None)), "an AICoreConfig or None"),
    Rule("torch", is_a(TorchConfig), "a TorchConfig"),
    Rule("quirks", is_tuple_of(Quirk), "a tuple of Quirk"),
    Rule("constraints", is_tuple_of(str), "a tuple of texts"),
    Rule("tables", is_a(Mapping), "a mapping from title to rows"),
    Rule("keeps_buffers", is_a(bool), "True or False"),
    Rule("is_atb_fixed", is_a(bool), "True or False"),
)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -INT64_MAX - 1 <= value <= INT64_MAX


def _is_number(value: object) -> bool:
    return _is_int(value) or (isinstance(value, float) and value == value)


_DEFAULTS: Mapping[AttrType, tuple[Callable[[Any], bool], str]] = MappingProxyType(
    {
        AttrType.INT: (_is_int, "an integer of int64"),
        AttrType.FLOAT: (_is_number, "a number"),
        AttrType.BOOL: (is_a(bool), "True or False"),
        AttrType.STRING: (is_a(str), "a string"),
        AttrType.LIST_INT: (
            lambda value: is_tuple_of(int)(value) and all(map(_is_int, value)),
            "a tuple of integers of int64",
        ),
    }
)


def snake_case(name: str) -> str:
    """``update_tensor_desc`` for ``UpdateTensorDesc``; capitals in a row stay together."""
    words = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3_\2\4", name)
    return words.lower()

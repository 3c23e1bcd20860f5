"""How an operator is declared. Everything derivable (torch schema, help, pages) is derived from this."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from cannery.core import DataType, Format
from cannery.faces import all_faces
from cannery.operator.contract import Contract


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
    """

    namespace: str = "cann_ops_transformer"
    has_none_defaults: bool = False
    backward: Callable[..., Any] | None = None
    setup_context: Callable[..., Any] | None = None


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

    def __post_init__(self) -> None:
        known = [face.name for face in all_faces().values() if face.runner]
        stranger = next((name for name in self.faces if name not in known), None)
        if stranger is not None:
            raise ValueError(f"{self.name}: faces: found {stranger!r}, expected a tuple of {', '.join(known)}")

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
        return self._input_positions[name]

    # A call looks these up many times; each is built once a definition.
    @cached_property
    def _attributes_by_spelling(self) -> dict[str, Attribute]:
        return {name: attr for attr in reversed(self.attributes) for name in (attr.snake_name, attr.name)}

    @cached_property
    def _input_positions(self) -> dict[str, int]:
        return {param.name: index for index, param in enumerate(self.inputs)}


def snake_case(name: str) -> str:
    """``update_tensor_desc`` for ``UpdateTensorDesc``; capitals in a row stay together."""
    words = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3_\2\4", name)
    return words.lower()

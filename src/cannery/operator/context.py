"""What a stage is given: the call's descriptors, attributes, chip and mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from cannery.core import OperatorError, Stage, Tensor, TensorDesc
from cannery.operator.definition import OperatorDefinition
from cannery.operator.validity import Rule, hold, hold_value, is_a
from cannery.soc import Soc

EARLY = "; this framework checks before there are tensors: their rules belong in infer_shape"


@dataclass(frozen=True)
class CallContext:
    """A call without its data.

    Attributes:
        inputs: one entry a given input, None where an optional one is absent. Their number is the caller's.
        attrs: every attribute by its original name, defaults filled in.
        outputs: the output descriptors; empty until they are inferred or given.
        quirks: reproduce the original's code where it is wrong or undefined.
        buffers: descriptors of the output buffers the caller gave, None where memory is ours to take; None when
            none was given. Host checks that judge outputs read them here, as inference comes later.
    """

    definition: OperatorDefinition
    inputs: tuple[TensorDesc | None, ...]
    attrs: Mapping[str, Any]
    soc: Soc
    quirks: bool = False
    outputs: tuple[TensorDesc, ...] = ()
    buffers: tuple[TensorDesc | None, ...] | None = None

    def with_outputs(self, outputs: Sequence[TensorDesc]) -> CallContext:
        """The same call with these output descriptors."""
        # Spelt out: twice a call, and ``replace`` takes as long as the rest of a stage.
        return CallContext(
            self.definition, self.inputs, self.attrs, self.soc, self.quirks, tuple(outputs), self.buffers
        )

    def input(self, name: str) -> TensorDesc | None:
        """The descriptor of a named input; None when it is absent."""
        index = self.definition.input_index(name)
        return self.inputs[index] if index < len(self.inputs) else None

    def required(self, name: str) -> TensorDesc:
        """The descriptor of a named input that has to be there.

        Raises:
            OperatorError: it is absent, with the framework's code for a wrong number of inputs.
        """
        desc = self.input(name)
        if desc is None:
            is_early = not self.inputs and self.definition.contract.arity_stage is not Stage.CHECK
            raise self.absent(name, EARLY if is_early else "")
        return desc

    def absent(self, name: str, hint: str = "") -> OperatorError:
        """The error to raise when a required input is not there."""
        contract = self.definition.contract
        needed = sum(1 for param in self.definition.inputs if not param.optional)
        expected = f"a tensor ({needed} inputs are required){hint}"
        return self.error(contract.arity_stage, name, "nothing", expected, contract.arity_code)

    def error(
        self, stage: Stage, parameter: str, found: object, expected: object, code: IntEnum | None = None
    ) -> OperatorError:
        """The error to raise; without a code it is the one the framework has for the stage.

        Raises:
            DefinitionError: the stage or the code is none.
        """
        where = f"{self.definition.name}: context.error"
        hold_value(f"{where}: stage", stage, is_a(Stage), "a member of cannery.core.Stage such as Stage.CHECK")
        hold_value(f"{where}: code", code, is_a(IntEnum, type(None)), "a member of a table of cannery.core.status")
        code = self.definition.contract.codes[stage] if code is None else code
        return OperatorError(stage, self.definition.name, parameter, found, expected, code)

    def miscounted(self, found: str) -> OperatorError:
        """The error to raise when the caller gave another number of outputs; ATB has the code of its inputs for it."""
        expected = len(self.definition.outputs)
        return self.error(Stage.TILING, "outputs", found, expected, self.definition.contract.arity_code)


@dataclass(frozen=True)
class TilingResult:
    """What tiling hands to the kernel.

    Attributes:
        key: tiling key.
        block_dim: number of cores launched.
        workspaces: bytes of each workspace.
        data: the tiling structure, serialised byte for byte; empty when the original failed without telling.
    """

    key: int
    block_dim: int
    workspaces: tuple[int, ...] = ()
    data: bytes = field(default=b"", repr=False)


Check = Callable[[CallContext], None]
InferShape = Callable[[CallContext], tuple[TensorDesc, ...]]
Tiling = Callable[[CallContext], TilingResult]
# Returns what was found on the way (an ``aicore`` launch: its findings), or None.
Launch = Callable[[CallContext, TilingResult, tuple[Tensor | None, ...], tuple[Tensor, ...]], Sequence[Any] | None]


# Two operators are one only when they are the same object: what faces derive from one is kept by it.
@dataclass(frozen=True, eq=False)
class Operator:
    """A definition and what each stage does. ``golden`` is the module that holds the test contract."""

    definition: OperatorDefinition
    check: Check
    infer_shape: InferShape
    tiling: Tiling
    engines: Mapping[str, Launch]
    golden: str = ""

    def __post_init__(self) -> None:
        hold(_name(self.definition), self, _OPERATOR)
        object.__setattr__(self, "engines", MappingProxyType(dict(self.engines)))

    @property
    def name(self) -> str:
        """CANN's type of the operator."""
        return self.definition.name


def _name(definition: object) -> str:
    return definition.name if isinstance(definition, OperatorDefinition) else "Operator"


def _are_engines(value: object) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(name, str) and name and callable(launch) for name, launch in value.items())


_OPERATOR = (
    Rule("definition", is_a(OperatorDefinition), "an OperatorDefinition"),
    Rule("check", callable, "a function check(context)"),
    Rule("infer_shape", callable, "a function infer_shape(context)"),
    Rule("tiling", callable, "a function tiling(context)"),
    Rule(
        "engines",
        _are_engines,
        "a mapping from name to a function launch(context, tiling, inputs, outputs), one or more",
    ),
    Rule("golden", is_a(str), "the name of a module"),
)

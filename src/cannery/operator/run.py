"""``cannery.run``: one operator, its tensors, its attributes, a chip, an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

from cannery.core import Stage, Tensor
from cannery.operator import staged
from cannery.operator.context import CallContext, TilingResult
from cannery.operator.findings import check_reaction
from cannery.operator.registry import find_operator
from cannery.operator.tensors import allocate, bind_inputs, bind_outputs, describe_outputs
from cannery.soc import Soc

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class RunResult(Sequence[Any]):
    """What a call gave. Indexing and unpacking reach the outputs.

    Attributes:
        outputs: torch tensors; a buffer the caller gave is that very object.
        tiling: how the work was split.
        context: descriptors, attributes and chip of the call.
        findings: what the checked engine found; empty for the others.
    """

    outputs: tuple[Any, ...]
    tiling: TilingResult
    context: CallContext = field(repr=False)
    findings: tuple[Any, ...] = ()

    def __getitem__(self, index: Any) -> Any:
        return self.outputs[index]

    def __len__(self) -> int:
        return len(self.outputs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.outputs)


def run(
    name: str,
    inputs: Sequence[Any] | Mapping[str, Any],
    attrs: Mapping[str, Any] | None = None,
    *,
    outputs: Sequence[Any] | Mapping[str, Any] | None = None,
    soc: str | Soc | None = None,
    engine: str | None = None,
    quirks: bool | None = None,
    fill: float = 0,
    on_error: str = "warn",
) -> RunResult:
    """Run an operator: check → infer_shape → tiling → launch. Nothing is written before all checks pass.

    Args:
        name: CANN's type, e.g. ``"UnpadWithHiddenState"``.
        inputs: torch tensors or numpy arrays in definition order (None for an absent optional one), or by name.
        attrs: attributes by name.
        outputs: buffers to write into; what the operator does not write in them is preserved.
        soc: a chip or its name; default: by the settings, else the operator's first.
        engine: how the launch is done; ``cannery ops show NAME`` lists the operator's engines. Default: by the settings
            where the operator has that engine, else "eager".
        quirks: reproduce the original's code where it is wrong or undefined. Default: by the settings.
        fill: what fresh output memory holds before the launch.
        on_error: what errors among the findings of a checked engine do: warn, raise, ignore.

    Raises:
        OperatorError: the contract refuses the call.
        UnknownOperatorError, UnknownSocError, ValueError: no such operator, chip, engine or ``on_error``; ``fill`` is
            no number that the outputs can hold; tensors on several devices.
        SettingError: ``quirks`` is no bool; a variable of the environment has a value that it cannot have.
        FindingError: a checked engine found errors, and ``on_error`` says raise. The outputs are written.
    """
    check_reaction(on_error)
    _check_fill(fill)
    operator = find_operator(name)
    engine = staged.choose_engine(operator, engine, "eager")
    tensors = bind_inputs(operator.definition, inputs)
    descs = [None if tensor is None else tensor.desc for tensor in tensors]
    described = describe_outputs(operator.definition, outputs)
    call = staged.prepare(operator, descs, attrs, soc=soc, quirks=quirks, buffers=described, until=Stage.INFER_SHAPE)
    given = bind_outputs(call.context, outputs, tensors)
    call = staged.advance(call)
    _check_devices(name, [*tensors, *given])
    buffers = allocate(call.context, given, _device(tensors), fill)
    findings = staged.launch(call, tensors, buffers, engine, on_error)
    return RunResult(tuple(_give_back(buffer) for buffer in buffers), call.tiling, call.context, findings)


def _check_fill(fill: Any) -> None:
    """Refuse what memory cannot be filled with, before an output is taken."""
    if not isinstance(fill, Real):
        raise ValueError(f"fill: found {fill!r}, expected a number")


def _check_devices(name: str, tensors: Sequence[Tensor | None]) -> None:
    """Refuse tensors on several devices before an engine meets them."""
    places = {tensor.torch.device for tensor in tensors if tensor is not None}
    if len(places) > 1:
        found = " and ".join(sorted(map(str, places)))
        raise ValueError(f"{name}: found tensors on {found}, expected all on one device")


def _device(tensors: Sequence[Tensor | None]) -> torch.device | None:
    return next((tensor.torch.device for tensor in tensors if tensor is not None), None)


def _give_back(buffer: Tensor) -> Any:
    return buffer.torch if buffer.origin is None else buffer.origin

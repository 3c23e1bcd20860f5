"""The operators that have the face ``torch``, in ``torch.ops``: CANN's with the genuine package's signatures.

Schema, fake and namespace (``cann_ops_transformer`` unless it says another) of each come from its definition. One that
is registered later is there from then on. Where the genuine package is imported first, its schemas stay as they
are and only the implementations it lacks are added: it runs on the NPU, this on everything else.

Source of the signatures: recursion-ascend/ops-transformer @a093e95, `attention/*/torch_extension/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch

from cannery.core import DataType, OperatorError, Shape, Stage, TensorDesc
from cannery.operator import (
    CallContext,
    Operator,
    OperatorDefinition,
    TorchConfig,
    all_operators,
    find_operator,
    run,
    staged,
)
from cannery.pytorch.schema import TorchSchema, is_offered

NAMESPACE = TorchConfig().namespace


class TorchOperatorError(OperatorError, RuntimeError):
    """A call that the operator's contract refuses, raised as torch raises what an ``aclnn`` call refuses."""

    @classmethod
    def of(cls, refusal: OperatorError) -> TorchOperatorError:
        """The same facts."""
        return cls(*refusal.args)

    def __str__(self) -> str:
        return f"call aclnn{self.operator} failed, detail: {super().__str__()}"


class Libraries:
    """A torch library for each namespace. Its operators are there as long as it is."""

    def __init__(self, kind: Literal["FRAGMENT", "IMPL"]) -> None:
        self._kind = kind
        self._made: dict[str, torch.library.Library] = {}

    def of(self, operator: Operator) -> torch.library.Library:
        """The library that an operator belongs to."""
        namespace = operator.definition.torch.namespace
        if namespace not in self._made:
            self._made[namespace] = torch.library.Library(namespace, self._kind)
        return self._made[namespace]


def torch_operators(namespace: str = NAMESPACE) -> list[str]:
    """Names of the operators of a namespace."""
    definitions = [operator.definition for operator in all_operators().values() if is_offered(operator)]
    return [definition.snake_name for definition in definitions if definition.torch.namespace == namespace]


def register() -> Libraries:
    """Define and implement the operators there are, and those that come. What is returned must live as long as they."""
    libraries = Libraries("FRAGMENT")

    def offer(operator: Operator) -> None:
        if is_offered(operator):
            _register(libraries.of(operator), operator)

    all_operators().follow(offer)
    return libraries


def function(name: str) -> Callable[..., Any]:
    """An operator as the genuine package's function of its name.

    It is the one in ``torch.ops``; where that schema's defaults are others than the operator's own, a function with the
    operator's own.
    """
    packet = getattr(getattr(torch.ops, NAMESPACE), name)
    definition = find_operator(name).definition
    own = {attribute: definition.attribute(attribute).default for attribute in definition.torch.defaults}  # type: ignore[union-attr]
    if not own:
        return packet

    def call(*args: Any, **kwargs: Any) -> Any:
        return packet(*args, **{**own, **kwargs})

    call.__name__, call.__doc__ = name, definition.summary
    return call


def qualified_name(definition: OperatorDefinition) -> str:
    """``namespace::name``, as the dispatcher has it."""
    return f"{definition.torch.namespace}::{definition.snake_name}"


def _register(library: torch.library.Library, operator: Operator) -> None:
    definition = operator.definition
    schema, name = TorchSchema.of(definition), qualified_name(definition)
    foreign = _foreign_defaults(definition)
    defaults = definition.torch.defaults if foreign is None else foreign
    if foreign is None:
        library.define(schema.text)

    def has(key: str) -> bool:
        return foreign is not None and torch._C._dispatch_has_kernel_for_dispatch_key(name, key)

    # Without a tensor argument the dispatcher knows no device: the catch-all is what it finds.
    host = "CPU" if foreign else "CompositeExplicitAutograd"
    if not has(host):
        library.impl(definition.snake_name, host_kernel(operator, schema, defaults), host)
    if not has("Meta"):
        torch.library.register_fake(name, _fake(operator, schema, defaults), lib=library)
    if not has("Autograd"):
        _register_gradient(library, definition)


def _register_gradient(library: torch.library.Library, definition: OperatorDefinition) -> None:
    """The definition's gradient; without one results carry none, as launches run without autograd."""
    config = definition.torch
    if config.backward is None:
        library.impl(definition.snake_name, torch.library.fallthrough_kernel, "Autograd")
        return
    name = qualified_name(definition)
    torch.library.register_autograd(name, config.backward, setup_context=config.setup_context, lib=library)


def _foreign_defaults(definition: OperatorDefinition) -> dict[str, Any] | None:
    """Defaults of a schema that somebody else defined; None where nobody did.

    The dispatcher leaves out keyword arguments equal to the schema's default, whoever gave them: only by the schema's
    own defaults does the kernel get what the caller meant.
    """
    packet = getattr(getattr(torch.ops, definition.torch.namespace), definition.snake_name, None)
    if packet is None:
        return None
    return {arg.name: arg.default_value for arg in packet.default._schema.arguments if arg.has_default_value()}


def host_kernel(operator: Operator, schema: TorchSchema, defaults: Mapping[str, Any]) -> Callable[..., Any]:
    """The operator as the dispatcher calls it, by the settings."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        inputs, attrs = schema.bind(args, kwargs, defaults)
        device = _custom_device(inputs)
        if device is not None:
            inputs = {name: None if tensor is None else tensor.cpu() for name, tensor in inputs.items()}
        try:
            outputs = run(operator.name, inputs, attrs).outputs
        except OperatorError as refusal:
            raise TorchOperatorError.of(refusal) from None
        if device is not None:
            outputs = tuple(output.to(device) for output in outputs)
        return outputs if len(outputs) > 1 else outputs[0]

    return kernel


def _custom_device(inputs: Mapping[str, torch.Tensor | None]) -> torch.device | None:
    """The NPU, virtual or not, if a tensor is there: it has no kernels of ours, so the host computes for it."""
    given = [tensor.device for tensor in inputs.values() if tensor is not None]
    if all(device.type == "cpu" for device in given):
        return None
    custom = torch._C._get_privateuse1_backend_name()
    return next((device for device in given if device.type == custom), None)


def _fake(operator: Operator, schema: TorchSchema, defaults: Mapping[str, Any]) -> Callable[..., Any]:
    """Shapes and data types by the operator's own inference; sizes that tracing does not know yet stay symbolic."""
    definition = operator.definition

    def fake(*args: Any, **kwargs: Any) -> Any:
        inputs, given = schema.bind(args, kwargs, defaults)
        # Not converted: that would make a symbolic number a plain one.
        attrs = {attr.name: given.get(attr.snake_name, attr.default) for attr in definition.attributes}
        tensors = [inputs.get(param.name) for param in definition.inputs]
        descs = tuple(None if t is None else TensorDesc(DataType.of(t.dtype), Shape(t.shape)) for t in tensors)
        context = CallContext(definition, descs, attrs, staged.chip_of(definition))
        device = next((t.device for t in tensors if t is not None), "cpu")
        # What is wrong with a call is said when it runs: tracing wants its shapes alone.
        call = staged.advance(staged.Prepared(operator, context, Stage.CHECK), Stage.INFER_SHAPE)
        described = call.context.outputs
        outputs = tuple(torch.empty(tuple(d.shape), dtype=d.dtype.torch, device=device) for d in described)
        return outputs if len(outputs) > 1 else outputs[0]

    return fake


# Unloading a library takes its operators away.
LIBRARIES = register()

"""CANN's transformer operators in ``torch.ops.cann_ops_transformer``, with the genuine package's signatures.

Schema and fake of each come from its definition. Where the genuine package is imported first, its schemas stay as they
are and only the implementations it lacks are added: it runs on the NPU, this on everything else.

Source of the signatures: recursion-ascend/ops-transformer @a093e95, `attention/*/torch_extension/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch

from cannery.core import DataType, OperatorError, Shape, TensorDesc
from cannery.operator import CallContext, Operator, find_operator, run
from cannery.operator.staged import default_soc
from cannery.pytorch.schema import TorchSchema
from cannery.pytorch.target import current_target

NAMESPACE = "cann_ops_transformer"

# Operator to torch name, and whether the original spells absent attributes None in its schema.
REGISTERED: Mapping[str, bool] = MappingProxyType(
    {
        "DenseLightningIndexerKLLossGrad": False,
        "DenseLightningIndexerKLLossGradMetadata": True,
        "DenseLightningIndexerSoftmaxLse": False,
        "DenseLightningIndexerSoftmaxLseMetadata": True,
    }
)


class TorchOperatorError(OperatorError, RuntimeError):
    """A call that the operator's contract refuses, raised as torch raises what an ``aclnn`` call refuses."""

    @classmethod
    def of(cls, refusal: OperatorError) -> TorchOperatorError:
        """The same facts."""
        return cls(*refusal.args)

    def __str__(self) -> str:
        return f"call aclnn{self.operator} failed, detail: {super().__str__()}"


def register() -> torch.library.Library:
    """Define and implement the operators. The library that is returned must live as long as they are used."""
    library = torch.library.Library(NAMESPACE, "FRAGMENT")
    for name, none_defaults in REGISTERED.items():
        _register(library, find_operator(name), none_defaults)
    return library


def _register(library: torch.library.Library, operator: Operator, none_defaults: bool) -> None:
    schema, name = TorchSchema.of(operator.definition), operator.definition.snake_name
    defaults = _foreign_defaults(name)
    if defaults is None:
        library.define(schema.text(name, none_defaults))
    kernels = {
        # Without a tensor argument the dispatcher knows no device: this catch-all is what it finds.
        "CPU" if defaults else "CompositeExplicitAutograd": host_kernel(operator, schema, defaults or {}),
        "Meta": _fake(operator, schema),
        # Results carry no gradient: each of these is a gradient or plans one, and launches run without autograd.
        "Autograd": torch.library.fallthrough_kernel,
    }
    for key, kernel in kernels.items():
        if defaults is None or not torch._C._dispatch_has_kernel_for_dispatch_key(f"{NAMESPACE}::{name}", key):
            _implement(library, name, key, kernel)


def _implement(library: torch.library.Library, name: str, key: str, kernel: Callable[..., Any]) -> None:
    if key == "Meta":
        torch.library.register_fake(f"{NAMESPACE}::{name}", kernel, lib=library)
    else:
        library.impl(name, kernel, key)


def _foreign_defaults(name: str) -> dict[str, Any] | None:
    """Defaults of a schema that somebody else defined; None where nobody did.

    The dispatcher leaves out keyword arguments equal to the schema's default, whoever gave them: only by the schema's
    own defaults does the kernel get what the caller meant.
    """
    packet = getattr(getattr(torch.ops, NAMESPACE), name, None)
    if packet is None:
        return None
    return {arg.name: arg.default_value for arg in packet.default._schema.arguments if arg.has_default_value()}


def host_kernel(operator: Operator, schema: TorchSchema, defaults: Mapping[str, Any]) -> Callable[..., Any]:
    """The operator as the dispatcher calls it, for the current target."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        inputs, attrs = schema.bind(args, kwargs, defaults)
        target, device = current_target(), _custom_device(inputs)
        if device is not None:
            inputs = {name: None if tensor is None else tensor.cpu() for name, tensor in inputs.items()}
        try:
            outputs = run(operator.name, inputs, attrs, soc=target.soc, quirks=target.quirks).outputs
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


def _fake(operator: Operator, schema: TorchSchema) -> Callable[..., Any]:
    """Shapes and data types by the operator's own inference; sizes that tracing does not know yet stay symbolic."""
    definition = operator.definition

    def fake(*args: Any, **kwargs: Any) -> Any:
        inputs, attrs = schema.bind(args, kwargs, {})
        tensors = [inputs.get(param.name) for param in definition.inputs]
        descs = tuple(None if t is None else TensorDesc(DataType.of(t.dtype), Shape(t.shape)) for t in tensors)
        context = CallContext(definition, descs, attrs, default_soc(definition))
        device = next((t.device for t in tensors if t is not None), "cpu")
        inferred = operator.infer_shape(context)
        outputs = tuple(torch.empty(tuple(d.shape), dtype=d.dtype.torch, device=device) for d in inferred)
        return outputs if len(outputs) > 1 else outputs[0]

    return fake


# Unloading a library takes its operators away.
LIBRARY = register()

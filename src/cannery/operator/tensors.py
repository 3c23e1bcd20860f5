"""A caller's tensors and buffers, put in the definition's order and looked at before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from cannery.core import DataType, OperatorError, Stage, Tensor, TensorDesc
from cannery.operator.context import CallContext
from cannery.operator.definition import OperatorDefinition, TensorParam

if TYPE_CHECKING:
    import torch

_LARGE = 1 << 16  # bytes; below it a pass over memory costs less than the way around it


def bind_inputs(definition: OperatorDefinition, inputs: Any) -> tuple[Tensor | None, ...]:
    """Tensors in definition order from a sequence, or from a mapping by name; absent optional ones are None.

    Raises:
        OperatorError: at stage check: not tensors, or an unknown name.
    """
    return _as_tensors(definition, definition.inputs, inputs, "inputs")


def describe_outputs(definition: OperatorDefinition, outputs: Any) -> tuple[TensorDesc | None, ...] | None:
    """Descriptors of the buffers the caller gave, for ``bind``; how many are due is judged later, by ``bind_outputs``.

    Raises:
        OperatorError: at stage check: not tensors, or an unknown name.
    """
    if outputs is None:
        return None
    tensors = _as_tensors(definition, definition.outputs, outputs, "outputs")
    return tuple(None if tensor is None else tensor.desc for tensor in tensors)


def bind_outputs(context: CallContext, outputs: Any, inputs: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
    """The caller's buffers in definition order, None where there is none.

    ``inputs`` say which device the buffers have to be on.

    Raises:
        OperatorError: at stage check: not tensors; at stage tiling: a wrong number, or a buffer that cannot be written.
    """
    params = context.definition.outputs
    if outputs is None:
        return (None,) * len(params)
    given = _in_order(context.definition, params, outputs, "outputs")
    if len(given) != len(params):
        raise context.miscounted(f"{len(given)} buffers")
    buffers = tuple(_as_tensor(context.definition, p.name, value) for p, value in zip(params, given, strict=True))
    device = _device_read(context.definition, inputs)
    for param, tensor in zip(params, buffers, strict=True):
        _check_buffer(context, param, tensor, device)
    return buffers


def allocate(
    context: CallContext, buffers: Sequence[Tensor | None], device: torch.device | None, fill: float = 0
) -> tuple[Tensor, ...]:
    """The caller's buffers, and fresh memory filled with ``fill`` where there is none.

    Raises:
        ValueError: an output cannot hold ``fill``.
        OperatorError: at stage launch: the memory cannot be had.
    """
    pairs = zip(context.definition.outputs, buffers, context.outputs, strict=True)
    return tuple(
        _fresh(context, param.name, desc, device, fill) if tensor is None else tensor for param, tensor, desc in pairs
    )


def _in_order(definition: OperatorDefinition, params: tuple[TensorParam, ...], values: Any, what: str) -> list[Any]:
    if isinstance(values, (list, tuple)):  # first: the usual ones are told from abstract kinds at a price
        return list(values)
    if isinstance(values, Mapping):
        names = {param.name for param in params}
        stranger = next((name for name in values if name not in names), None)
        if stranger is not None:
            raise _check_error(definition, what, repr(stranger), f"names among {', '.join(sorted(names))}")
        return [values.get(param.name) for param in params]
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise _check_error(definition, what, type(values).__name__, "a list of tensors or a mapping by name")
    return list(values)


def _as_tensors(
    definition: OperatorDefinition, params: tuple[TensorParam, ...], values: Any, what: str
) -> tuple[Tensor | None, ...]:
    """The values in the definition's order; those beyond it are named by their index."""
    given = _in_order(definition, params, values, what)
    names = [param.name for param in params]
    if len(given) > len(names):
        names += [f"{what}[{index}]" for index in range(len(names), len(given))]
    return tuple(_as_tensor(definition, name, value) for name, value in zip(names, given, strict=False))


def _as_tensor(definition: OperatorDefinition, name: str, value: Any) -> Tensor | None:
    if value is None:
        return None
    try:
        return Tensor.of(value)
    except (TypeError, ValueError):
        kinds = (getattr(value, kind, None) for kind in ("dtype", "layout"))
        found = " ".join([type(value).__name__, *(str(kind) for kind in kinds if kind is not None)])
        expected = "a dense torch.Tensor or numpy.ndarray of one of CANN's data types"
        raise _check_error(definition, name, found, expected) from None


def _device_read(definition: OperatorDefinition, inputs: Sequence[Tensor | None]) -> torch.device | None:
    """Where the first input is whose data the kernel reads."""
    pairs = zip(definition.inputs, inputs, strict=False)
    return next((tensor.torch.device for param, tensor in pairs if param.is_read and tensor is not None), None)


def _check_buffer(context: CallContext, param: TensorParam, tensor: Tensor | None, device: torch.device | None) -> None:
    if tensor is None:
        return
    # An array's own flags count: one that torch cannot hold was copied, and a copy would take the result.
    flags = tensor.origin.flags if isinstance(tensor.origin, np.ndarray) else None
    if not tensor.torch.is_contiguous() or (flags is not None and not flags.c_contiguous):
        raise context.error(Stage.TILING, param.name, "a buffer that is not contiguous", "a contiguous one")
    if flags is not None and not flags.writeable:
        raise context.error(Stage.TILING, param.name, "a read-only buffer", "one that can be written")
    if device is not None and tensor.torch.device != device:
        raise context.error(Stage.TILING, param.name, f"a buffer on {tensor.torch.device}", f"one on {device}")


def _fresh(context: CallContext, name: str, desc: TensorDesc, device: torch.device | None, fill: float) -> Tensor:
    if fill != 0:
        _check_holds(desc.dtype, fill)
    try:
        return Tensor(_filled(tuple(desc.shape), desc.dtype.torch, device, fill), desc.format)
    except (RuntimeError, MemoryError, ValueError, OverflowError):  # numpy spells too large a size in several ways
        found = f"not enough memory for {desc}"
        raise context.error(Stage.LAUNCH, name, found, "an output that fits in memory") from None


def _check_holds(dtype: DataType, fill: float) -> None:
    import torch

    try:
        torch.full((), fill, dtype=dtype.torch)
    except (RuntimeError, OverflowError):
        raise ValueError(f"fill: found {fill!r}, expected a number that {dtype.short} can hold") from None


def _filled(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device | None, fill: float) -> torch.Tensor:
    import torch

    if fill != 0:
        return torch.full(shape, fill, dtype=dtype, device=device)
    size = prod(shape) * dtype.itemsize
    if size < _LARGE or not (device is None or device.type == "cpu"):
        return torch.zeros(shape, dtype=dtype, device=device)
    # numpy gets zeroed pages from the system untouched: no pass over memory that the operator may never read.
    return torch.from_numpy(np.zeros(size, np.uint8)).view(dtype).view(shape)


def _check_error(definition: OperatorDefinition, parameter: str, found: object, expected: object) -> OperatorError:
    return OperatorError(
        Stage.CHECK, definition.name, parameter, found, expected, definition.contract.codes[Stage.CHECK]
    )

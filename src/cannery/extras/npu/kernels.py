"""Operators of PyTorch on the virtual device: the CPU's kernel, on the same memory.

One kernel serves all: it puts CPU aliases in the place of the device's tensors, calls the operator, and puts the
results on the device. Results are the CPU's, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor
from torch._ops import OpOverload

from cannery.extras.npu.alias import HOST, on_host
from cannery.extras.npu.machine import machine

CPU: Final = torch.device("cpu")
KEY: Final = "PrivateUse1"
# Operators that take indices from the host as well, as they do on other accelerators.
TAKES_HOST_INDICES: Final = frozenset(
    {
        "aten::index",
        "aten::_unsafe_index",
        "aten::index_put",
        "aten::index_put_",
        "aten::_index_put_impl_",
        "aten::_unsafe_index_put",
    }
)
Kernel = Callable[..., Any]
_NUMBERS: Final = frozenset({bool, int, float, complex})


@dataclass(frozen=True)
class Plan:
    """What the schema of an operator says about running it elsewhere.

    Attributes:
        written: position and name of the arguments it writes.
        returned: for each result, the written argument that it is, if it is one.
        is_out: it writes into ``out=`` tensors, which it may have to resize.
        generator: position and name of its generator argument.
        draws: it draws random numbers.
        takes_host: tensors of the host may be in its lists.
        any_overload: the operator by all its overloads.
        numbers: positions of tensors for which an overload takes a number. PyTorch hands a tensor that stands for a
            number to a kernel in Python as the number.
    """

    call: Callable[..., Any]
    name: str
    written: tuple[tuple[int, str], ...]
    returned: tuple[tuple[int, str] | None, ...]
    is_out: bool
    generator: tuple[int, str] | None
    draws: bool
    takes_host: bool
    any_overload: Callable[..., Any]
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, op: OpOverload) -> Plan:
        """Read it."""
        arguments = op._schema.arguments
        written = {a.name: (i, _alias(a)) for i, a in enumerate(arguments) if a.alias_info and a.alias_info.is_write}
        by_alias = {alias: (i, name) for name, (i, alias) in written.items()}
        generators = [(i, a.name) for i, a in enumerate(arguments) if "Generator" in str(a.type)]
        return cls(
            call=op._op,
            name=op._schema.name,
            written=tuple((i, name) for name, (i, _) in written.items()),
            returned=tuple(by_alias.get(_alias(result)) for result in op._schema.returns),
            is_out=any(a.is_out for a in arguments),
            generator=generators[0] if generators else None,
            draws=torch.Tag.nondeterministic_seeded in op.tags,
            takes_host=op._schema.name in TAKES_HOST_INDICES,
            any_overload=op.overloadpacket,
            numbers=_numbers(op),
        )


def _alias(argument: Any) -> frozenset[str]:
    """The memory an argument or result shares with others, by the schema's letters."""
    return frozenset(argument.alias_info.before_set) if argument.alias_info is not None else frozenset()


def _numbers(op: OpOverload) -> tuple[int, ...]:
    packet = op.overloadpacket
    schemas = [getattr(packet, name)._schema for name in packet.overloads()]
    takes_number = {
        argument.name for schema in schemas for argument in schema.arguments if argument.type.kind() == "NumberType"
    }
    positions = enumerate(op._schema.arguments)
    return tuple(i for i, a in positions if a.type.kind() == "TensorType" and a.name in takes_number)


class _Operands:
    """Arguments of one call with their tensors on the host, and the device they were on."""

    __slots__ = ("index", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.index: int | None = None

    def convert(self, value: Any) -> Any:
        """The argument as the CPU's kernel takes it."""
        if isinstance(value, Tensor):
            index = value.get_device()
            # Called for every tensor of every operator: the usual case first.
            return on_host(value) if index == self.index else self._other(value, index)
        if isinstance(value, (list, tuple)):
            convert = self._index if self.plan.takes_host else self.convert
            return [convert(item) for item in value]
        if isinstance(value, torch.device):
            if self.index is None and value.type != "cpu":
                self.index = machine().index_of(value)
            return CPU
        return value

    def _other(self, tensor: Tensor, index: int) -> Tensor:
        """The first tensor of a call, a number of the host, or one that is in the wrong place."""
        if index < 0:
            if tensor.dim():
                self._refuse("cpu")
            return tensor
        if self.index is not None:
            self._refuse(f"npu:{index}")
        self.index = index
        return on_host(tensor)

    def _index(self, value: Any) -> Any:
        """Indices may be on the host. What they are for, and values put there, may not: `host[device_index]`."""
        on_the_host = isinstance(value, Tensor) and value.is_cpu and self.index is not None
        return value if on_the_host else self.convert(value)

    def _refuse(self, other: str) -> None:
        mine = f"npu:{self.index or 0}"
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {mine} and {other}! "
            f"(when checking the arguments of {self.plan.name})"
        )


def kernel_of(op: OpOverload) -> Kernel:
    """The kernel that runs an operator by the CPU's."""
    plan = Plan.of(op)
    if plan.draws or plan.generator is not None:
        return _random_kernel(plan)
    if plan.is_out:
        return _out_kernel(plan)

    returns_own = any(plan.returned) or not plan.returned

    def kernel(*args: Any, **kwargs: Any) -> Any:
        operands = _Operands(plan)
        convert = operands.convert
        hosts = [convert(arg) for arg in args]
        named = {name: convert(arg) for name, arg in kwargs.items()} if kwargs else kwargs
        result = _called(plan, hosts, named)
        return _own(plan, args, kwargs, result) if returns_own else placed(result, operands.index)

    return kernel


def on_one_device(op: OpOverload, kernel: Kernel) -> Kernel:
    """A kernel of its own, with the refusal of tensors in different places that `kernel_of` has."""
    plan = Plan.of(op)

    def kernel_on_one_device(*args: Any, **kwargs: Any) -> Any:
        operands = _Operands(plan)
        for arg in (*args, *kwargs.values()):
            operands.convert(arg)
        return kernel(*args, **kwargs)

    return kernel_on_one_device


def _random_kernel(plan: Plan) -> Kernel:
    """Draws from the given generator, else from the device's."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        operands = _Operands(plan)
        hosts = [operands.convert(arg) for arg in args]
        named = {name: operands.convert(arg) for name, arg in kwargs.items()}
        index = machine().index_of(None) if operands.index is None else operands.index
        _give_generator(plan, hosts, named, index)
        with machine().drawing_from(index) if plan.generator is None else nullcontext():
            result = _called(plan, hosts, named)
        return _own(plan, args, kwargs, result) if any(plan.returned) else placed(result, index)

    return kernel


def _give_generator(plan: Plan, hosts: list[Any], named: dict[str, Any], index: int) -> None:
    if plan.generator is None:
        return
    position, name = plan.generator
    if position < len(hosts):
        hosts[position] = machine().generators[index] if hosts[position] is None else hosts[position]
    elif named.get(name) is None:
        named[name] = machine().generators[index]


def _out_kernel(plan: Plan) -> Kernel:
    """Writes into ``out=``; what the CPU's kernel had to resize is resized on the device."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        operands = _Operands(plan)
        outs = {name for _, name in plan.written}
        hosts = [operands.convert(arg) for arg in args]
        named = {
            name: _out_host(arg, operands) if name in outs else operands.convert(arg) for name, arg in kwargs.items()
        }
        _called(plan, hosts, named)
        for name in outs & named.keys():
            if isinstance(kwargs[name], Tensor):
                follow(kwargs[name], named[name])
        return _own(plan, args, kwargs, None)

    return kernel


def _out_host(value: Any, operands: _Operands) -> Any:
    host = operands.convert(value)
    # An alias cannot grow, and an empty tensor given as out= is there to be grown.
    return torch.empty_like(host) if isinstance(host, Tensor) and not host.numel() else host


def follow(tensor: Tensor, host: Tensor) -> None:
    """Make a device tensor stand for what its host side has become, where a kernel gave that other memory or sizes."""
    if host is tensor.__dict__.get(HOST) and host.data_ptr() == tensor.data_ptr() and host.shape == tensor.shape:
        return
    if host.data_ptr() == tensor.data_ptr() and host.shape == tensor.shape:
        return
    moved = machine().place(host, tensor.get_device())
    set_storage = torch.ops.aten.set_.source_Storage_storage_offset
    set_storage(tensor, moved.untyped_storage(), moved.storage_offset(), moved.shape, moved.stride())


def _called(plan: Plan, hosts: Sequence[Any], named: Mapping[str, Any]) -> Any:
    call = plan.call
    if plan.numbers and any(i < len(hosts) and type(hosts[i]) in _NUMBERS for i in plan.numbers):
        call = plan.any_overload
    try:
        return call(*hosts, **named)
    except NotImplementedError as failure:
        raise NotImplementedError(
            f"{plan.name} on npu: cannery runs PyTorch's operators by their CPU kernels, and this one has none for "
            "these arguments"
        ) from failure


def _own(plan: Plan, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> Any:
    """The results: arguments that were written are themselves, the others are put on their device."""
    if not plan.returned:
        return None
    own = tuple(args[at[0]] if at and at[0] < len(args) else at and kwargs[at[1]] for at in plan.returned)
    if len(own) == 1:
        return own[0]
    if all(plan.returned):
        return own
    device = next(tensor for tensor in own if tensor is not None).get_device()
    return tuple(placed(made, device) if mine is None else mine for mine, made in zip(own, result, strict=True))


def placed(value: Any, index: int | None) -> Any:
    """A result with its tensors on the device."""
    if isinstance(value, Tensor):
        device = machine()
        return device.place(value, device.index_of(None) if index is None else index)
    if isinstance(value, (list, tuple)):
        return type(value)(placed(item, index) for item in value)
    return value


class Fallback:
    """The kernel of every operator that has none of its own; made when first called."""

    def __init__(self) -> None:
        self._kernels: dict[OpOverload, Kernel] = {}

    def __call__(self, op: OpOverload, *args: Any, **kwargs: Any) -> Any:
        kernel = self._kernels.get(op)
        if kernel is None:
            kernel = self._kernels[op] = kernel_of(op)
        return kernel(*args, **kwargs)

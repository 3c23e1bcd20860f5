"""``torch_atb.Operation``: forward on torch tensors.

The original queues the execution by default and then drops its status; here forward always runs to the end, and what
went wrong is in its error.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache
from typing import Any, TypeVar

import torch

from cannery.atb.context import Context
from cannery.atb.operation import Operation as AtbOperation
from cannery.atb.single import CreateOperation
from cannery.atb.torch_atb._params import Param
from cannery.atb.torch_atb._prof import Prof
from cannery.atb.types import Tensor, VariantPack
from cannery.core import AtbStatus, DataType, OperatorError, Refusal, Shape, Stage, TensorDesc
from cannery.runtime import RuntimeFault, Stream, process
from cannery.settings import chosen_quirks

MAX_DIM = 8
KIB = 1024
DEFAULT_BUFFER_SIZE = 100 * KIB * KIB
# Tensors of other types reach ATB without one, and are refused there.
INTEGERS = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
DTYPES = frozenset((*INTEGERS, torch.half, torch.bfloat16, torch.float))
T = TypeVar("T")


class AtbError(Refusal, RuntimeError):
    """A call that ATB refuses.

    Attributes:
        code: ATB's status.
        stage: where it was refused.
        operator: whose call it was.
    """

    def __init__(
        self, code: IntEnum, stage: Stage, operator: str, parameter: str, found: object, expected: object
    ) -> None:
        super().__init__(parameter, found, expected)
        self.args = (code, stage, operator, parameter, found, expected)
        self.code = code
        self.stage = stage
        self.operator = operator

    def __str__(self) -> str:
        return f"{self.operator}: {self.stage.value}: {super().__str__()} [{self.code.name}, {self.code.value}]"


class Local:
    """A context and a buffer for workspaces: those of a thread, or of a graph that has streams of its own."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self.context = Context()
        self.context.SetExecuteStreams(streams)
        self.buffers: dict[torch.device, torch.Tensor] = {}


class _Thread(threading.local):
    """What the operations of a thread share."""

    def __init__(self) -> None:
        self.local = Local([Stream()])
        self.buffer_size = DEFAULT_BUFFER_SIZE


@cache
def thread() -> _Thread:
    """The calling thread's part."""
    return _Thread()


def set_buffer_size(bytes: int) -> None:
    """Bytes of workspace the calling thread keeps, in whole KiB; it grows when an operation wants more.

    Raises:
        RuntimeError: not a positive number.
    """
    if isinstance(bytes, bool) or not isinstance(bytes, int) or bytes <= 0:
        raise RuntimeError(f"set_buffer_size: found {bytes!r}, expected a positive number of bytes")
    thread().buffer_size = -(-bytes // KIB) * KIB
    thread().local.buffers.clear()


class Operation:
    """An operation.

    Args:
        param: a parameter of this package.

    Raises:
        AtbError: a RuntimeError: ATB refuses the parameter.
    """

    def __init__(self, param: Any) -> None:
        self._op: AtbOperation | None = mapped(lambda: CreateOperation(_plain(param)))
        self._own: Local | None = None

    @classmethod
    def _of(cls, operation: AtbOperation, streams: Sequence[Any] = ()) -> Operation:
        made = cls.__new__(cls)
        made._op = operation
        made._own = Local([find_stream(stream) for stream in streams]) if streams else None
        return made

    @property
    def name(self) -> str:
        """The operation's name, e.g. ``UnpadWithHiddenStateOperation``."""
        return self._alive().GetName()

    @property
    def input_num(self) -> int:
        """Number of inputs."""
        return self._alive().GetInputNum()

    @property
    def output_num(self) -> int:
        """Number of outputs."""
        return self._alive().GetOutputNum()

    def forward(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The outputs of the operation, new tensors on the inputs' device.

        They are filled with 0 beforehand, where the original leaves what the memory held, as ``CANNERY_QUIRKS=1`` does.

        Raises:
            AtbError: a RuntimeError that has stage and code.
            RuntimeError: not tensors, or more than 8 dims.
        """
        begin = time.perf_counter()
        operation = self._alive()
        tensors = [_checked(operation, index, tensor) for index, tensor in enumerate(inputs)]
        outputs = mapped(lambda: _run(operation, tensors, self._own or thread().local))
        Prof.get_prof_stats().add_run_time(operation.GetName(), (time.perf_counter() - begin) * 1e6)
        return outputs

    def take(self) -> AtbOperation:
        """Hand the operation over to a graph: this object cannot be used any more."""
        operation, self._op = self._alive(), None
        return operation

    def _alive(self) -> AtbOperation:
        if self._op is None:
            raise RuntimeError("Operation: found one that a graph has taken, expected one of its own for each use")
        return self._op


def mapped(call: Callable[[], T]) -> T:
    """The call's result, its refusals as ``AtbError``."""
    try:
        return call()
    except OperatorError as error:
        raise AtbError(error.code, error.stage, error.operator, *error.facts) from error


def find_stream(pointer: Any) -> Stream:
    """A stream of the runtime from its handle.

    Raises:
        RuntimeError: it is none.
    """
    stream = pointer if isinstance(pointer, Stream) else process().handles.find(pointer, Stream)
    if stream is None:
        raise RuntimeError(f"set_execute_streams: found {pointer!r}, expected handles of streams")
    return stream


def _plain(param: Any) -> Any:
    return param.plain if isinstance(param, Param) else param


def _checked(operation: AtbOperation, index: int, tensor: Any) -> torch.Tensor:
    where = f"{operation.GetName()}: inputs[{index}]"
    if not isinstance(tensor, torch.Tensor):
        raise RuntimeError(f"{where}: found {type(tensor).__name__}, expected a torch.Tensor")
    if tensor.dim() > MAX_DIM:
        raise RuntimeError(f"{where}: found {tensor.dim()} dims, expected at most {MAX_DIM}")
    return tensor.detach().contiguous()


def _run(operation: AtbOperation, tensors: list[torch.Tensor], ours: Local) -> list[torch.Tensor]:
    descs = [_desc(tensor) for tensor in tensors]
    device = tensors[0].device if tensors else torch.device("cpu")
    outputs = [_output(desc, device) for desc in operation.InferShape(descs)]
    given = [Tensor(desc, deviceData=tensor) for desc, tensor in zip(descs, tensors, strict=True)]
    pack = VariantPack(given, [Tensor.of(output) for output in outputs])
    size = operation.Setup(pack, ours.context)
    operation.Execute(pack, _workspace(ours, size, device), size, ours.context)
    _synchronize(operation, ours.context)
    return outputs


def _desc(tensor: torch.Tensor) -> TensorDesc:
    dtype = DataType.of(tensor.dtype) if tensor.dtype in DTYPES else DataType.DT_UNDEFINED
    return TensorDesc(dtype, Shape(tensor.shape))


def _output(desc: TensorDesc, device: torch.device) -> torch.Tensor:
    make = torch.empty if chosen_quirks() else torch.zeros
    return make(tuple(desc.shape), dtype=desc.dtype.torch, device=device)


def _workspace(ours: Local, size: int, device: torch.device) -> torch.Tensor | None:
    if not size:
        return None
    buffer = ours.buffers.get(device)
    if buffer is None or buffer.nbytes < size:
        wanted = max(thread().buffer_size, -(-size // KIB) * KIB)
        buffer = ours.buffers[device] = torch.empty(wanted, dtype=torch.uint8, device=device)
    return buffer


def _synchronize(operation: AtbOperation, context: Context) -> None:
    stream = context.GetExecuteStreams()[operation.stream_id]
    assert stream is not None
    try:
        stream.synchronize()
    except RuntimeFault as fault:
        if isinstance(fault.__cause__, OperatorError):
            raise fault.__cause__ from fault
        raise OperatorError(Stage.LAUNCH, operation.GetName(), *fault.facts, AtbStatus.ERROR_RT_FAIL) from fault

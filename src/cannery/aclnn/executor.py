"""What phase 1 makes and phase 2 runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cannery.aclnn.objects import AclTensor, View
from cannery.core import AclnnStatus, OperatorError, Tensor
from cannery.operator import Operator, staged
from cannery.operator.staged import Prepared
from cannery.runtime import AclError, Process, RuntimeFault
from cannery.runtime.call import call
from cannery.runtime.device import Device

if TYPE_CHECKING:
    import torch

INVALID = AclnnStatus.ACLNN_ERR_PARAM_INVALID
NULLPTR = AclnnStatus.ACLNN_ERR_PARAM_NULLPTR
INNER_NULLPTR = AclnnStatus.ACLNN_ERR_INNER_NULLPTR


@dataclass(frozen=True)
class Slot:
    """A tensor parameter: its name, the tensor, and the view phase 1 found."""

    name: str
    tensor: AclTensor
    view: View


@dataclass(frozen=True)
class Buffer:
    """A slot when phase 2 was called: a view and where it lies."""

    name: str
    view: View
    address: int


@dataclass(eq=False)
class Executor:
    """A call that is ready to run.

    Attributes:
        inputs, outputs: in the definition's order, None where null was passed for an optional input.
        is_repeatable: phase 2 leaves it alive.
    """

    call: Prepared
    inputs: tuple[Slot | None, ...]
    outputs: tuple[Slot, ...]
    device: Device
    is_repeatable: bool = False

    @property
    def operator(self) -> Operator:
        """The operator that runs."""
        return self.call.operator

    @property
    def workspace_size(self) -> int:
        """Bytes of workspace that phase 2 wants."""
        return sum(self.call.tiling.workspaces)

    @property
    def slots(self) -> tuple[Slot | None, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    def launch(self, process: Process, buffers: Sequence[Buffer | None], workspace: int) -> None:
        """What the stream does: find the memory, run the operator.

        Raises:
            RuntimeFault: of the engine that runs: memory that is not there, values that the operator refuses.
        """
        try:
            if workspace:
                _memory(process, self.device, "workspace", workspace, self.workspace_size)
            tensors = [None if buffer is None else _find(process, self.device, buffer) for buffer in buffers]
            self._run(process, tensors)
        except (RuntimeFault, OperatorError) as failure:
            parameter = f"{self.operator.name}: {failure.parameter}"
            raise RuntimeFault(self._exception, parameter, failure.found, failure.expected) from failure
        except (RuntimeError, ValueError, MemoryError) as failure:
            found = f"{type(failure).__name__}: {failure}"
            raise RuntimeFault(self._exception, self.operator.name, found, "a call that can be computed") from failure

    @property
    def _exception(self) -> AclError:
        is_host = self.operator.definition.aicore is None
        return AclError.ACL_ERROR_RT_AICPU_EXCEPTION if is_host else AclError.ACL_ERROR_RT_AICORE_EXCEPTION

    def _run(self, process: Process, tensors: Sequence[torch.Tensor | None]) -> None:
        count = len(self.inputs)
        inputs = tuple(None if t is None else Tensor(t.contiguous()) for t in tensors[:count])
        views = [t for t in tensors[count:] if t is not None]
        # An output with gaps is computed apart and copied in: engines write whole tensors.
        outputs = tuple(Tensor(view.contiguous()) for view in views)
        staged.launch(self.call, inputs, outputs, self._engine(process))
        for view, output in zip(views, outputs, strict=True):
            if output.torch is not view:
                view.copy_(output.torch)

    def _engine(self, process: Process) -> str:
        return staged.choose_engine(self.operator, None, "aicpu")


def _find(process: Process, device: Device, buffer: Buffer) -> torch.Tensor:
    import torch

    view = buffer.view
    if not view.size:
        return view.over(torch.empty(0, dtype=torch.uint8))
    start = buffer.address + view.start
    memory = _memory(process, device, buffer.name, start, view.size)
    if start % view.desc.dtype.itemsize:
        found, expected = f"address {start:#x}", f"a multiple of {view.desc.dtype.itemsize}"
        raise RuntimeFault(AclError.ACL_ERROR_RT_ADDR_UNALIGNED, buffer.name, found, expected)
    return view.over(memory)


def _memory(process: Process, device: Device, name: str, address: int, size: int) -> torch.Tensor:
    memory = process.memory.view(name, address, size)
    if process.memory.device_of(address) not in (device.number, None):
        found = f"{address:#x}, which is memory of another device"
        raise RuntimeFault(AclError.ACL_ERROR_RT_INVALID_MEMORY_TYPE, name, found, f"memory of device {device.number}")
    return memory


def find_executor(process: Process, handle: int, null: AclnnStatus) -> Executor:
    """The executor of a handle.

    Raises:
        RuntimeFault: ``null`` for null; INNER_NULLPTR for one that phase 2 has used up, or that never was.
    """
    executor = process.handles.find(handle, Executor)
    if executor is not None:
        return executor
    if handle == 0:
        raise RuntimeFault(null, "executor", "null", "what phase 1 returned")
    found = f"{handle:#x}, which is used up, destroyed or never was"
    raise RuntimeFault(INNER_NULLPTR, "executor", found, "phase 1 before each phase 2, or a repeatable executor")


@call("aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)")
def set_repeatable(process: Process, handle: int) -> None:
    """Let phase 2 run more than once: to be called between the phases."""
    find_executor(process, handle, INNER_NULLPTR).is_repeatable = True


@call("aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)")
def destroy_executor(process: Process, handle: int) -> None:
    """Forget a repeatable executor."""
    find_executor(process, handle, INNER_NULLPTR)
    process.handles.remove(handle)


def set_input_address(process: Process, handle: int, index: int, tensor: int, address: int) -> None:
    """Let an input of a repeatable executor lie elsewhere."""
    _set_address(process, find_executor(process, handle, INNER_NULLPTR).inputs, index, tensor, address)


def set_output_address(process: Process, handle: int, index: int, tensor: int, address: int) -> None:
    """The same for an output."""
    _set_address(process, find_executor(process, handle, INNER_NULLPTR).outputs, index, tensor, address)


def set_address(process: Process, handle: int, index: int, tensor: int, address: int) -> None:
    """The same, inputs and outputs counted through."""
    _set_address(process, find_executor(process, handle, INNER_NULLPTR).slots, index, tensor, address)


def _set_address(process: Process, slots: Sequence[Slot | None], index: int, tensor: int, address: int) -> None:
    if tensor == 0:
        raise RuntimeFault(INNER_NULLPTR, "tensor", "null", "the tensor whose address changes")
    if process.handles.find(tensor, AclTensor) is None:
        found = f"{tensor:#x}, which is no live aclTensor"
        raise RuntimeFault(INVALID, "tensor", found, "the tensor whose address changes")
    slot = slots[index] if 0 <= index < len(slots) else None
    if slot is None:
        expected = f"the position of a tensor that was passed, 0 to {len(slots) - 1}"
        raise RuntimeFault(INVALID, "index", index, expected)
    slot.tensor.address = address


def set_listed_address(process: Process, handle: int, index: int, place: int, tensors: int, address: int) -> None:
    """Let a member of a list of tensors lie elsewhere. No operator with this face takes a list."""
    executor = find_executor(process, handle, INNER_NULLPTR)
    if tensors == 0:
        raise RuntimeFault(INNER_NULLPTR, "tensors", "null", "the list whose member's address changes")
    found, expected = f"{index}, where {executor.operator.name} takes no list", "the position of a list of tensors"
    raise RuntimeFault(INVALID, "irIndex", found, expected)


_ONE = "aclOpExecutor *executor, size_t index, aclTensor *tensor, void *addr"
_LISTED = "aclOpExecutor *executor, size_t irIndex, size_t relativeIndex, aclTensorList *tensors, void *addr"
_SETTERS: Mapping[str, Callable[..., None]] = {
    f"SetInputTensorAddr({_ONE})": set_input_address,
    f"SetOutputTensorAddr({_ONE})": set_output_address,
    f"SetTensorAddr({_ONE})": set_address,
    f"SetDynamicInputTensorAddr({_LISTED})": set_listed_address,
    f"SetDynamicOutputTensorAddr({_LISTED})": set_listed_address,
    f"SetDynamicTensorAddr({_LISTED})": set_listed_address,
}
# The header has each of them twice.
ADDRESS_CALLS = tuple(
    call(f"aclnnStatus {prefix}{rest}")(function) for prefix in ("acl", "Acl") for rest, function in _SETTERS.items()
)

"""Operations: made of a parameter, set up for tensors and a context, executed in two phases.

Source: ascend-transformer-boost `include/atb/operation.h`, `src/atb/operation/` @ddcc8b6: order of checks and codes.
A refusal is an ``OperatorError``: ``stage`` says in which call it happened, ``code`` is ATB's status.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cannery.atb.context import Context
from cannery.atb.errors import from_exception, refusal
from cannery.atb.types import ExecuteType, LaunchMode, SVector, Tensor, VariantPack, byte_size, is_null
from cannery.core import AtbStatus, OperatorError, Stage, TensorDesc
from cannery.runtime import Stream
from cannery.runtime.event import Event

WITH_STRIDE = "WithStride"
Descs = tuple[TensorDesc | None, ...]


@dataclass(frozen=True)
class Task:
    """What a stream does for an operation."""

    stream_id: int
    run: Callable[[], None] | None


@dataclass(frozen=True)
class SetupState:
    """What a successful Setup leaves for Execute."""

    context: Context
    pack: VariantPack
    workspace_size: int
    host_block: int


class Operation(ABC):
    """An operation. Made by ``CreateOperation``; ``is_owned`` by a graph that was made with it as a node."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stream_id = 0
        self.is_owned = False
        self._state: SetupState | None = None
        self._prepared: tuple[Task, ...] | None = None
        self._captured: tuple[list[TensorDesc], list[TensorDesc]] | None = None

    def GetName(self) -> str:
        """The operation's name."""
        return self.name

    @abstractmethod
    def GetInputNum(self) -> int:
        """Number of inputs."""

    @abstractmethod
    def GetOutputNum(self) -> int:
        """Number of outputs."""

    @abstractmethod
    def infer(self, descs: Descs) -> tuple[TensorDesc, ...]:
        """Descriptors of the outputs."""

    @abstractmethod
    def plan(self, inputs: Descs, outputs: tuple[TensorDesc, ...], context: Context) -> int:
        """Check and plan a call; bytes of workspace it needs."""

    @abstractmethod
    def prepare(self, inputs: Sequence[Any], outputs: Sequence[Any], workspace: Any) -> tuple[Task, ...]:
        """The first phase: find the memory of the tensors, make the tasks. Tensors are (descriptor, data)."""

    @abstractmethod
    def has_runner(self) -> bool:
        """Whether Setup's runner is still there."""

    @abstractmethod
    def release(self) -> None:
        """Give runners back."""

    def stream_ids(self) -> tuple[int, ...]:
        """Which of the context's streams the operation uses."""
        return (self.stream_id,)

    def InferShape(self, inTensorDescs: Sequence[TensorDesc | None]) -> SVector[TensorDesc]:
        """Descriptors of the outputs.

        Raises:
            OperatorError: at stage infer_shape. ERROR_OUT_OF_HOST_MEMORY stands for any other exception.
        """
        return SVector(self._guarded(Stage.INFER_SHAPE, lambda: self.infer(tuple(inTensorDescs))))

    def Setup(self, variantPack: VariantPack, context: Context | None) -> int:
        """Check the tensors, take a runner, plan the call; bytes of workspace that Execute wants.

        Raises:
            OperatorError: at stage tiling. ERROR_OUT_OF_HOST_MEMORY stands for any other exception.
        """
        self._state = self._prepared = None
        if not isinstance(context, Context):
            found = "null" if context is None else type(context).__name__
            raise self.refuse(Stage.TILING, "context", found, "a context")
        if not context.is_alive:
            raise self.refuse(Stage.TILING, "context", "one that was destroyed", "a living one")
        inputs, outputs = [t.desc for t in variantPack.inTensors], [t.desc for t in variantPack.outTensors]
        self._check_captured(context, inputs, outputs)
        size = self._guarded(Stage.TILING, lambda: self.plan(tuple(inputs), tuple(outputs), context))
        pack = VariantPack(variantPack.inTensors, variantPack.outTensors)
        self._state = SetupState(context, pack, size, context.next_host_block())
        return size

    def Execute(
        self, variantPack: VariantPack, workspace: Any = None, workspaceSize: int = 0, context: Context | None = None
    ) -> AtbStatus:
        """Launch on the context's stream: both phases, or the one of the context's execute type.

        Args:
            variantPack: the tensors; an empty one stands for Setup's.
            workspace: address of device memory, or a torch tensor.

        Raises:
            OperatorError: at stage launch. ERROR_RT_FAIL stands for any other exception.
        """
        state = self._check_state(context)
        pack = state.pack if variantPack.is_empty else variantPack
        self._check_workspace(state, workspace, workspaceSize)
        self._check_pack(state, pack)
        if not self.has_runner():
            code = AtbStatus.ERROR_OPERATION_NULL_RUNNER
            raise self.refuse(Stage.LAUNCH, "runner", "none: the parameter was updated", "Setup before Execute", code)
        self._guarded(Stage.LAUNCH, lambda: self._run_phases(state, pack, workspace))
        return AtbStatus.NO_ERROR

    def refuse(
        self,
        stage: Stage,
        parameter: str,
        found: object,
        expected: object,
        code: AtbStatus = AtbStatus.ERROR_INVALID_PARAM,
    ) -> OperatorError:
        """The error to raise for this operation."""
        return refusal(stage, self.name.removesuffix("Operation"), parameter, found, expected, code)

    def _guarded(self, stage: Stage, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except OperatorError:
            raise
        except Exception as failure:
            is_launch = stage is Stage.LAUNCH
            code = AtbStatus.ERROR_RT_FAIL if is_launch else AtbStatus.ERROR_OUT_OF_HOST_MEMORY
            raise from_exception(stage, self.name.removesuffix("Operation"), failure, code) from failure

    def _check_captured(self, context: Context, inputs: list[TensorDesc], outputs: list[TensorDesc]) -> None:
        is_graph = context.GetLaunchMode() is LaunchMode.GRAPH_LAUNCH_MODE
        if is_graph and self._captured is not None and self._captured != (inputs, outputs):
            code = AtbStatus.ERROR_INVALID_TENSOR_DIM
            raise self.refuse(Stage.TILING, "tensors", "other descriptors", "those that were captured", code)

    def _check_state(self, context: Context | None) -> SetupState:
        state, stage = self._state, Stage.LAUNCH
        if state is None:
            raise self.refuse(stage, "Setup", "none that succeeded", "Setup before Execute")
        if context is None:
            raise self.refuse(stage, "context", "null", "the context of Setup")
        if any(_stream(context, number) is None for number in self.stream_ids()):
            raise self.refuse(stage, "stream", "null", "a stream, by SetExecuteStream of the context")
        if context is not state.context:
            raise self.refuse(stage, "context", "another one", "the context of Setup")
        if not context.is_alive:
            raise self.refuse(stage, "context", "one that was destroyed", "a living one")
        return state

    def _check_workspace(self, state: SetupState, workspace: Any, size: int) -> None:
        if size < state.workspace_size:
            raise self.refuse(Stage.LAUNCH, "workspaceSize", size, f"at least {state.workspace_size}, as Setup said")
        if is_null(workspace) and size > 0:
            raise self.refuse(Stage.LAUNCH, "workspace", "null", f"{size} bytes of device memory")

    def _check_pack(self, state: SetupState, pack: VariantPack) -> None:
        is_strided = WITH_STRIDE in self.name
        for what in ("inTensors", "outTensors"):
            given, setup = getattr(pack, what), getattr(state.pack, what)
            if len(given) != len(setup):
                raise self.refuse(Stage.LAUNCH, what, f"{len(given)} tensors", f"{len(setup)}, as at Setup")
            for index, (tensor, before) in enumerate(zip(given, setup, strict=True)):
                is_sized = not (is_strided and what == "inTensors")
                self._check_tensor(f"{what}[{index}]", tensor, byte_size(before.desc), is_sized)

    def _check_tensor(self, name: str, tensor: Tensor, size: int, is_sized: bool) -> None:
        if is_sized and tensor.dataSize != size:
            raise self.refuse(Stage.LAUNCH, name, f"dataSize {tensor.dataSize}", f"{size}, as at Setup")
        if size and is_null(tensor.data):
            raise self.refuse(Stage.LAUNCH, name, "neither deviceData nor hostData", "one of them")

    def _run_phases(self, state: SetupState, pack: VariantPack, workspace: Any) -> None:
        phase = Context.GetExecuteType()
        if phase is not ExecuteType.EXECUTE_LAUNCH:
            # Shapes and types stay those of Setup: of a tensor given now only the memory counts.
            pairs = [
                [(before.desc, now.data) for before, now in zip(setup, given, strict=True)]
                for setup, given in ((state.pack.inTensors, pack.inTensors), (state.pack.outTensors, pack.outTensors))
            ]
            self._prepared = self.prepare(pairs[0], pairs[1], workspace)
        if phase is not ExecuteType.EXECUTE_PRELAUNCH:
            self._launch(state)

    def _launch(self, state: SetupState) -> None:
        if self._prepared is None:
            raise self.refuse(Stage.LAUNCH, "phase", "EXECUTE_LAUNCH first", "EXECUTE_PRELAUNCH before it")
        tasks, self._prepared = self._prepared, None
        if state.context.GetLaunchMode() is LaunchMode.GRAPH_LAUNCH_MODE:
            self._captured = ([t.desc for t in state.pack.inTensors], [t.desc for t in state.pack.outTensors])
        submit(state.context, tasks, self.stream_id)


def _stream(context: Context, number: int) -> Stream | None:
    streams = context.GetExecuteStreams()
    return streams[number] if 0 <= number < len(streams) else None


def submit(context: Context, tasks: Sequence[Task], last: int) -> None:
    """Put the tasks on their streams. Each waits for the one before, and the stream ``last`` for all of them."""
    before: Stream | None = None
    for task in (*tasks, Task(last, None)):
        stream = _stream(context, task.stream_id)
        assert stream is not None
        if before is not None and before is not stream:
            event = Event()
            event.record_on(before)
            event.hold_back(stream)
        if task.run is not None:
            stream.submit(task.run)
        before = stream

"""An operation of one operator, and the functions that make and change operations.

Source: ascend-transformer-boost `src/atb/operation/op_param_funcs.h`, `include/atb/operation.h` @ddcc8b6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import finalize

from cannery.atb.context import Context
from cannery.atb.errors import refusal
from cannery.atb.graph import GraphOperation, GraphParam
from cannery.atb.kernel import Kernel, described
from cannery.atb.memory import open_tensor
from cannery.atb.operation import Descs, Operation, Task
from cannery.atb.ops_runner import OpsRunner, Plan
from cannery.atb.params import attributes_of, copy_of, operator_of, param_of
from cannery.atb.types import UNDEFINED
from cannery.core import AtbStatus, OperatorError, Stage, Tensor, TensorDesc
from cannery.operator import CallContext, Operator, TensorParam, staged
from cannery.operator.frameworks.atb import check_tiled
from cannery.operator.staged import Prepared
from cannery.runtime import AclError, RuntimeFault
from cannery.soc import Soc

T = TypeVar("T")


class OpsOperation(Operation):
    """An operation of one operator. ``call`` is bound: attributes, chip and mode, without tensors."""

    def __init__(self, operator: Operator, call: CallContext) -> None:
        super().__init__(f"{operator.name}Operation")
        self.operator = operator
        self.call = call
        self._runner: OpsRunner | None = None
        # Also called when the operation is forgotten without DestroyOperation.
        self._give_back: finalize | None = None
        self._context: Context | None = None
        self._plan: Plan | None = None

    @property
    def param(self) -> Any:
        """A copy of the parameter."""
        return param_of(self.operator, self.call)

    def GetInputNum(self) -> int:
        """Number of inputs."""
        return len(self.operator.definition.inputs)

    def GetOutputNum(self) -> int:
        """Number of outputs."""
        return len(self.operator.definition.outputs)

    def set_param(self, call: CallContext) -> None:
        """Take another parameter; the runner is given back, so Setup has to come before Execute."""
        self.call = call
        self.release()

    def infer(self, descs: Descs) -> tuple[TensorDesc, ...]:
        """The operator's shape inference, with ATB's checks before it."""
        call = Prepared(self.operator, replace(self.call, inputs=descs), Stage.CHECK)
        return staged.advance(call, Stage.INFER_SHAPE).context.outputs

    def plan(self, inputs: Descs, outputs: tuple[TensorDesc, ...], context: Context) -> int:
        """Let a runner plan the call."""
        slots = _slots(self.operator.definition.inputs, inputs, lambda desc: desc == UNDEFINED)
        call = replace(self.call, inputs=slots, outputs=outputs)
        runner = self._acquire(context, call)
        self._plan = runner.setup(call, context.launches_with_tiling)
        return self._plan.workspace_size

    def prepare(self, inputs: Sequence[Any], outputs: Sequence[Any], workspace: Any) -> tuple[Task, ...]:
        """Open the tensors' memory; one task for every node."""
        plan = self._plan
        assert plan is not None
        for call in plan.calls:
            check_tiled(call.context, call.tiling)
        definition = self.operator.definition
        given = _slots(definition.inputs, inputs, lambda pair: pair[0] == UNDEFINED)
        pairs = zip(definition.tensors, (*given, *outputs), strict=True)
        tensors = [
            None if pair is None else open_tensor(self.operator.name, param.name, *pair) for param, pair in pairs
        ]
        return tuple(self._task(plan, index, tensors) for index in range(len(plan.graph.nodes)))

    def has_runner(self) -> bool:
        """Whether there is a runner."""
        return self._runner is not None

    def release(self) -> None:
        """Give the runner back to its pool."""
        if self._give_back is not None:
            self._give_back()
        self._runner = self._give_back = self._context = self._plan = None

    def _acquire(self, context: Context, call: CallContext) -> OpsRunner:
        if self._runner is not None and self._context is context:
            return self._runner
        self.release()
        try:
            self._take(context)
        except LookupError:
            staged.advance(described(self.operator, call))  # what is wrong with the tensors is said before
            raise
        assert self._runner is not None
        self._context = context
        return self._runner

    def _take(self, context: Context) -> None:
        pool = None if self.operator.definition.is_atb_fixed else context.pool(self.operator)
        self._runner = None if pool is None else pool.malloc(self.operator, self.call)
        if pool is not None and self._runner is not None:
            self._give_back = finalize(self, pool.free, self._runner)
            return
        self._runner = OpsRunner(self.operator, self.call, context.tally)
        context.tally.add("unpooled")

    def _task(self, plan: Plan, index: int, tensors: Sequence[Tensor | None]) -> Task:
        node, kernel, call = plan.graph.nodes[index], plan.kernels[index], plan.calls[index]
        inputs = [tensors[number] for number in node.in_tensors]
        outputs = [tensor for tensor in (tensors[number] for number in node.out_tensors) if tensor is not None]
        return Task(self.stream_id, lambda: _launch(kernel, call, inputs, outputs))


def _slots(params: Sequence[TensorParam], given: Sequence[T], is_empty: Callable[[T], bool]) -> tuple[T | None, ...]:
    """What each input is given: None where an optional one is an empty tensor, or left out at the end."""
    slots = [None if param.optional and is_empty(each) else each for param, each in zip(params, given, strict=False)]
    left = params[len(given) :]
    missing = [None] * len(left) if all(param.optional for param in left) else []
    return (*slots, *missing, *given[len(params) :])


def _launch(kernel: Kernel, *arguments: Any) -> None:
    """What the stream does; its failures reach whoever synchronises it."""
    try:
        kernel.launch(*arguments)
    except OperatorError as failure:
        parameter = f"{failure.operator}: {failure.parameter}"
        code = AclError.ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
        raise RuntimeFault(code, parameter, failure.found, failure.expected) from failure


def CreateOperation(param: Any, *, soc: str | Soc | None = None, quirks: bool | None = None) -> Operation:
    """The operation a parameter describes.

    Args:
        param: a parameter structure of ``cannery.atb``, or a ``GraphParam``.
        soc: the chip; default: by the settings (session, ``--soc``, ``CANNERY_SOC``), else the operator's first.
        quirks: reproduce the original's code where it is wrong or undefined; default: by the settings.

    Raises:
        OperatorError: at stage check. ERROR_INVALID_PARAM; ERROR_INVALID_GRAPH for a graph.
    """
    if isinstance(param, GraphParam):
        return GraphOperation(param)
    operator = operator_of(param)
    if operator is None:
        expected = "a parameter structure such as UnpadWithHiddenStateParam"
        raise refusal(Stage.CHECK, "CreateOperation", "param", "null" if param is None else repr(param), expected)
    call = _create(operator, attributes_of(param), soc, quirks)
    reserved = {attr.name: attr.default for attr in operator.definition.attributes if attr.internal}
    return OpsOperation(operator, replace(call, attrs={**call.attrs, **reserved}))


def CloneOperationParam(operation: Operation | None, param_class: type) -> Any:
    """A copy of an operation's parameter, which has to be of this class.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check.
    """
    found = _updatable(operation, "CloneOperationParam").param
    if type(found) is not param_class:
        asked = getattr(param_class, "__name__", repr(param_class))
        raise refusal(Stage.CHECK, "CloneOperationParam", "param", asked, type(found).__name__)
    return copy_of(found)


def UpdateOperationParam(operation: Operation | None, param: Any) -> AtbStatus:
    """Give an operation another parameter of its kind. Reserved bytes are not checked here.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check; the operation keeps the parameter it has.
    """
    ours = _updatable(operation, "UpdateOperationParam")
    if operator_of(param) is not ours.operator:
        found = "null" if param is None else type(param).__name__
        raise refusal(Stage.CHECK, "UpdateOperationParam", "param", found, f"{ours.operator.name}Param")
    call = _create(ours.operator, attributes_of(param, reserved=False), ours.call.soc, ours.call.quirks)
    if param != ours.param:
        ours.set_param(replace(call, attrs=dict(call.attrs)))
    return AtbStatus.NO_ERROR


def DestroyOperation(operation: Operation | None) -> AtbStatus:
    """End an operation: its runner goes back to the pool. Null is fine. To be called before the context ends."""
    if operation is not None:
        operation.release()
    return AtbStatus.NO_ERROR


def SetExecuteStreamId(operation: Operation | None, streamId: int) -> AtbStatus:
    """Choose one of the context's streams for an operation.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check: null.
    """
    _living(operation, "SetExecuteStreamId").stream_id = streamId
    return AtbStatus.NO_ERROR


def GetExecuteStreamId(operation: Operation | None) -> int:
    """Which of the context's streams an operation uses.

    Raises:
        OperatorError: ERROR_INVALID_PARAM at stage check: null.
    """
    return _living(operation, "GetExecuteStreamId").stream_id


def _create(operator: Operator, attrs: dict[str, Any], soc: str | Soc | None, quirks: bool | None) -> CallContext:
    return staged.prepare(operator, (), attrs, soc=soc, quirks=quirks, until=Stage.CHECK).context


def _living(operation: Operation | None, function: str) -> Operation:
    if not isinstance(operation, Operation):
        raise refusal(Stage.CHECK, function, "operation", "null", "an operation")
    return operation


def _updatable(operation: Operation | None, function: str) -> OpsOperation:
    if isinstance(operation, OpsOperation) and not operation.operator.definition.is_atb_fixed:
        return operation
    found = "null" if operation is None else operation.name
    raise refusal(Stage.CHECK, function, "operation", found, "an operation whose parameter can be cloned and updated")

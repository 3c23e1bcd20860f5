"""Every status of ATB: what a caller does to get it, or why no caller can.

Source: ascend-transformer-boost `include/atb/types.h` (names and numbers), `src/atb/operation/operation_base.cpp`,
`src/atb/context/context_base.cpp`, `src/atb/runner/` @ddcc8b6 (where each is returned).
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from cannery import OperatorError, atb
from cannery.core import AtbStatus
from cannery.runtime import Stream

LENGTHS, LIMIT = [3, 5], 8
X = torch.zeros(2, LIMIT, 4).half()


def unpad(**members: Any) -> Any:
    return atb.CreateOperation(atb.UnpadWithHiddenStateParam(**{"qSeqLen": LENGTHS, "maxSeqLen": LIMIT, **members}))


def tensors(*given: torch.Tensor) -> list[Any]:
    return [atb.Tensor.of(tensor) for tensor in given]


def descs(*given: torch.Tensor) -> list[Any]:
    return [tensor.desc for tensor in tensors(*given)]


def context() -> Any:
    made = atb.CreateContext()
    made.SetExecuteStream(Stream())
    return made


def pack() -> Any:
    return atb.VariantPack(tensors(X), tensors(torch.zeros(8, 4).half()))


def execute(operation: Any, change: Callable[[Any], Any] = lambda operation: None, *, given: Any = None) -> None:
    used, where = pack(), context()
    size = operation.Setup(used, where)
    change(operation)
    operation.Execute(given or used, None, size, where)


def graph(**changes: Any) -> Any:
    nodes = changes.pop("nodes", None) or [atb.Node(unpad(), [0], [1], **changes.pop("views", {}))]
    return atb.CreateOperation(atb.GraphParam(**{"inTensorNum": 1, "outTensorNum": 1, "nodes": nodes, **changes}))


def updated(operation: Any) -> None:
    atb.UpdateOperationParam(operation, atb.UnpadWithHiddenStateParam([1, 2], LIMIT))


def bad_address() -> Any:
    made = pack()
    return atb.VariantPack([atb.Tensor(made.inTensors[0].desc, 0x10)], made.outTensors)


def soft_max(*shape: int) -> Any:
    operation = atb.CreateOperation(atb.FastSoftMaxParam(headNum=1, qSeqLen=[2]))
    return operation.InferShape(descs(torch.zeros(shape).half()))


def viewed(kind: str, view: Any) -> Any:
    return graph(views={kind: [view]}).InferShape(descs(X))


# Code, stage by the letter of ATB's case files, what the caller does.
PROVOKED: list[tuple[str, str, Callable[[], Any]]] = [
    ("ERROR_INVALID_PARAM", "C", lambda: unpad(maxSeqLen=4097)),
    ("ERROR_INVALID_PARAM", "C", lambda: unpad(rsv=[1])),
    ("ERROR_INVALID_PARAM", "C", lambda: atb.CreateOperation(None)),
    ("ERROR_INVALID_PARAM", "C", lambda: atb.CreateContext(hostTilingBlockNum=1)),
    ("ERROR_INVALID_PARAM", "C", lambda: atb.UpdateOperationParam(unpad(), None)),
    ("ERROR_INVALID_PARAM", "S", lambda: unpad().Setup(pack(), None)),
    ("ERROR_INVALID_PARAM", "E", lambda: unpad().Execute(pack(), None, 0, context())),
    ("ERROR_INVALID_GRAPH", "C", lambda: graph(name="not a name")),
    ("ERROR_INVALID_GRAPH", "C", lambda: graph(nodes=[atb.Node(unpad(), [1], [1])])),
    ("ERROR_RT_FAIL", "E", lambda: execute(unpad(), given=bad_address())),
    ("ERROR_INVALID_IN_TENSOR_NUM", "I", lambda: unpad().InferShape([])),
    ("ERROR_INVALID_IN_TENSOR_NUM", "S", lambda: unpad().Setup(atb.VariantPack(tensors(X), []), context())),
    ("ERROR_INVALID_TENSOR_DIM", "I", lambda: unpad().InferShape(descs(X[0]))),
    ("ERROR_INVALID_TENSOR_DIM", "S", lambda: unpad().Setup(pack_of(X), context())),
    ("ERROR_INVALID_TENSOR_SIZE", "I", lambda: unpad().InferShape(descs(X[:1]))),
    (
        "ERROR_INVALID_TENSOR_SIZE",
        "S",
        lambda: unpad().Setup(pack_of(torch.zeros(9, 4).half()), context()),
    ),
    ("ERROR_OPERATION_NULL_RUNNER", "E", lambda: execute(unpad(), updated)),
    ("ERROR_GRAPH_INFERSHAPE_FUNC_FAIL", "I", lambda: graph(inferShapeFunc=lambda descs: []).InferShape(descs(X))),
    ("ERROR_INVALID_TENSOR_INI_MATCH", "I", lambda: unpad().InferShape(descs(X.float()))),
    ("ERROR_INVALID_TENSOR_INI_MATCH", "S", lambda: unpad().Setup(pack_of(torch.zeros(8, 4)), context())),
    ("ERROR_INVALID_TENSOR_DIM_NUM", "I", lambda: soft_max(2, 2)),
    ("ERROR_GRAPH_NODE_RESHAPE_FUNC_FAIL", "I", lambda: viewed("inTensorReshapeFuncs", lambda dims: [1])),
    (
        "ERROR_INVALID_GRAPH_NODE_CHUNK",
        "I",
        lambda: viewed("inTensorChunks", atb.Chunk(3)),
    ),
    (
        "ERROR_OUT_OF_HOST_MEMORY",
        "S",
        lambda: unpad().Setup(pack(), atb.Context(runner_types=atb.RunnerTypeRegister())),
    ),
]

# No call of the operators there are ends with these.
UNREACHABLE = {
    "ERROR_INTERNAL_ERROR": "not returned by any check on the way",
    "ERROR_INVALID_TENSOR_DTYPE": "bfloat16 on a chip without it; such a chip is refused at creation",
    "ERROR_INVALID_TENSOR_FORMAT": "formats are judged with the types, as ERROR_INVALID_TENSOR_INI_MATCH",
    "ERROR_CANN_ERROR": "of operations that call aclnn",
    "ERROR_INVALID_TENSOR_ADDR": "a tensor without data is ERROR_INVALID_PARAM",
    "ERROR_INVALID_TENSOR_NUM": "numbers of tensors are ERROR_INVALID_IN_TENSOR_NUM, outputs as well",
    "ERROR_INVALID_SINGLE_OPERATION_PARAM": "not returned by any check on the way",
    "ERROR_INVALID_CONTEXT_ADDR": "a context that is null is ERROR_INVALID_PARAM",
    "ERROR_INVALID_STREAM": "a stream that is null is ERROR_INVALID_PARAM",
    "ERROR_INVALID_WORKSPACE_SIZE": "a workspace too small is ERROR_INVALID_PARAM",
    "ERROR_INVALID_WORKSPACE_ADDR": "a workspace that is null is ERROR_INVALID_PARAM",
    "ERROR_INVALID_OPERATION_ADDR": "an operation that is null is ERROR_INVALID_PARAM",
    "ERROR_HCCL_FAIL": "of operations that communicate",
    "ERROR_OUT_OF_DEVICE_MEMORY": "of the device's tiling buffer, which takes no memory here",
    "ERROR_COMM_EMPTY": "of operations that communicate",
    "ERROR_COPY_HOST_MEMORY_FAIL": "of a kernel that cannot copy its tiling",
}


def pack_of(output: torch.Tensor) -> Any:
    return atb.VariantPack(tensors(X), tensors(output))


@pytest.mark.parametrize(("code", "stage", "call"), [pytest.param(*row, id=f"{row[1]}:{row[0]}") for row in PROVOKED])
def test_a_caller_can_provoke_it(code: str, stage: str, call: Callable[[], Any]) -> None:
    with pytest.raises(OperatorError) as caught:
        call()
    assert (caught.value.stage.letter, caught.value.code.name) == (stage, code)


def test_every_status_is_provoked_or_has_a_reason() -> None:
    provoked = {code for code, _, _ in PROVOKED}
    assert not provoked & set(UNREACHABLE)
    assert provoked | set(UNREACHABLE) | {"NO_ERROR"} == set(AtbStatus.__members__)


def test_no_error_is_zero() -> None:
    execute(unpad())
    assert atb.DestroyOperation(None) is AtbStatus.NO_ERROR
    assert int(AtbStatus.NO_ERROR) == 0

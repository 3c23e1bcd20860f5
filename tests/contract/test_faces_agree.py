"""One call, every way in: the same outputs bit for bit, or errors of the same stage, code and parameter.

A call is drawn legal and then, mostly, spoilt in one place. Each face says which calls it cannot express, and why;
those are left out for it by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cannery
from cannery import OperatorError, atb
from cannery.atb.torch_atb._operation import AtbError, Operation
from cannery.core import DataType, Shape, Stage, TensorDesc
from cannery.core import Tensor as CoreTensor
from cannery.ge._engine.instance import instance
from cannery.ge.error import GeError
from cannery.ge.es import GraphBuilder, TensorHolder
from cannery.ge.es import all as es_functions
from cannery.ge.ge_global import GeApi
from cannery.ge.graph import Tensor
from cannery.ge.session import Session
from cannery.operator import ATB, Operator, all_operators
from cannery.pytorch.ops import NAMESPACE

UNSPOILT = "nothing"
DTYPES = (
    torch.float16,
    torch.float32,
    torch.float64,
    torch.bfloat16,
    torch.int8,
    torch.int32,
    torch.int64,
    torch.bool,
    torch.uint16,
)


@dataclass(frozen=True)
class Call:
    """Inputs by position, attributes by name, and what was spoilt: nothing, a data type, a dim, an attribute …"""

    inputs: tuple[torch.Tensor | None, ...]
    attrs: Mapping[str, Any]
    spoilt: str = UNSPOILT


class CannotExpressError(Exception):
    """A face has no way to say this call; the reason."""


# ---- legal calls -------------------------------------------------------------------------------------------------


def values(shape: tuple[int, ...], seed: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


seeds = st.integers(0, 2**16)
lengths = st.lists(st.integers(1, 5), min_size=1, max_size=4)


@st.composite
def update_tensor_desc(draw: st.DrawFn) -> Call:
    x = values(tuple(draw(st.lists(st.integers(0, 3), max_size=4))), draw(seeds)).to(draw(st.sampled_from(DTYPES)))
    shape = [*draw(st.lists(st.integers(1, 3), max_size=4)), 128, *draw(st.lists(st.integers(1, 2), max_size=2))]
    return Call((x,), {"shape": shape})


@st.composite
def unpad(draw: st.DrawFn) -> Call:
    sizes, hidden = draw(lengths), draw(st.integers(1, 9))
    limit = max(sizes) + draw(st.integers(0, 2))
    x = values((len(sizes), limit, hidden), draw(seeds))
    return Call((x,), {"qSeqLen": sizes, "maxSeqLen": limit})


@st.composite
def pad(draw: st.DrawFn) -> Call:
    sizes = draw(lengths)
    x = values((sum(sizes), draw(st.integers(1, 9))), draw(seeds))
    return Call((x,), {"qSeqLen": sizes, "maxSeqLen": max(sizes) + draw(st.integers(0, 2))})


@st.composite
def squares(draw: st.DrawFn, count: int) -> Call:
    sizes, heads = draw(lengths), draw(st.integers(1, 3))
    shape = (heads * sum(size * size for size in sizes),)
    return Call(tuple(values(shape, draw(seeds)) for _ in range(count)), {"headNum": heads, "qSeqLen": sizes})


@st.composite
def gen_attention_mask(draw: st.DrawFn) -> Call:
    sizes = draw(lengths)
    side = max(sizes) + draw(st.integers(0, 2))
    x = values((len(sizes), 1, side, side), draw(seeds))
    return Call((x,), {"headNum": draw(st.integers(1, 3)), "seqLen": sizes})


@st.composite
def rms_norm_backward(draw: st.DrawFn) -> Call:
    dtype = draw(st.sampled_from((torch.float32, torch.float16, torch.bfloat16)))
    rows, size = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    dy, x = (values((rows, size), draw(seeds), dtype) for _ in range(2))
    return Call((dy, x, values((rows, 1), draw(seeds), torch.float32), values((size,), draw(seeds), dtype)), {})


@st.composite
def rope_grad(draw: st.DrawFn) -> Call:
    sizes, heads = draw(lengths), draw(st.integers(1, 2))
    gradients = [values((sum(sizes), 128 * heads), draw(seeds)) for _ in range(2)]
    tables = [values((max(sizes) + 1, 128), draw(seeds)) for _ in range(2)]
    return Call((*gradients, *tables), {"qSeqLen": sizes})


@st.composite
def strided_batch_matmul(draw: st.DrawFn) -> Call:
    batch, heads = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    m, n, k = (draw(st.lists(st.integers(1, 4), min_size=batch, max_size=batch)) for _ in range(3))
    flips = {"transposeA": draw(st.booleans()), "transposeB": draw(st.booleans())}
    a = values((heads * sum(x * y for x, y in zip(m, k, strict=True)),), draw(seeds))
    b = values((heads * sum(x * y for x, y in zip(n, k, strict=True)),), draw(seeds))
    leading = {"lda": m if flips["transposeA"] else k, "ldb": k if flips["transposeB"] else n, "ldc": n}
    products = {"strideA": (m, k), "strideB": (n, k), "strideC": (m, n)}
    strides = {name: [x * y for x, y in zip(*pair, strict=True)] for name, pair in products.items()}
    attrs = {**flips, "batch": batch, "headNum": heads, "m": m, "n": n, "k": k, **leading, **strides}
    return Call((a, b), attrs)


@st.composite
def indexer(draw: st.DrawFn, with_target: bool) -> Call:
    rows, keys, heads = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.sampled_from((8, 16)))
    dtype = draw(st.sampled_from((torch.bfloat16, torch.float16)))
    q, k = values((rows, heads, 128), draw(seeds), dtype), values((keys, 1, 128), draw(seeds), dtype)
    w = values((rows, heads), draw(seeds), torch.float32)
    ends = [torch.tensor([0, count], dtype=torch.int32) for count in (rows, keys)]
    layouts = {"layout_q": "TND", "layout_k": "TND"}
    attrs = {**layouts, "mask_mode": 0, "cmp_ratio": 1}
    kind = "DenseLightningIndexerKLLossGradMetadata" if with_target else "DenseLightningIndexerSoftmaxLseMetadata"
    plan = cannery.run(kind, ends, {"num_heads_q": heads, "num_heads_k": 1, "head_dim": 128, **layouts})[0]
    tail = (*ends, None, None, None, plan)
    if not with_target:
        return Call((q, k, w, *tail), attrs)
    target = torch.softmax(values((rows, 1, keys), draw(seeds), torch.float32), -1)
    return Call((q, k, w, target, values((1, rows), draw(seeds), torch.float32), *tail), attrs)


@st.composite
def metadata(draw: st.DrawFn) -> Call:
    cu = torch.tensor([0, *sorted(draw(st.lists(st.integers(0, 50), min_size=1, max_size=4)))], dtype=torch.int32)
    attrs = {"num_heads_q": 8, "num_heads_k": 1, "head_dim": 128, "layout_q": "TND", "layout_k": "TND"}
    return Call((cu, cu.clone()), attrs)


LEGAL: dict[str, st.SearchStrategy[Call]] = {
    "UpdateTensorDesc": update_tensor_desc(),
    "UnpadWithHiddenState": unpad(),
    "PadWithHiddenState": pad(),
    "FastSoftMax": squares(1),
    "FastSoftMaxGrad": squares(2),
    "GenAttentionMask": gen_attention_mask(),
    "RmsNormBackward": rms_norm_backward(),
    "RopeGrad": rope_grad(),
    "StridedBatchMatmul": strided_batch_matmul(),
    "DenseLightningIndexerKLLossGrad": indexer(with_target=True),
    "DenseLightningIndexerKLLossGradMetadata": metadata(),
    "DenseLightningIndexerSoftmaxLse": indexer(with_target=False),
    "DenseLightningIndexerSoftmaxLseMetadata": metadata(),
}


# ---- what spoils them --------------------------------------------------------------------------------------------


def replaced(call: Call, index: int, tensor: torch.Tensor | None, spoilt: str) -> Call:
    return replace(call, inputs=(*call.inputs[:index], tensor, *call.inputs[index + 1 :]), spoilt=spoilt)


def input_to_spoil(draw: st.DrawFn, call: Call) -> tuple[int, torch.Tensor]:
    there = [(index, tensor) for index, tensor in enumerate(call.inputs) if tensor is not None]
    return draw(st.sampled_from(there))


def other_dtype(draw: st.DrawFn, operator: Operator, call: Call) -> Call:
    index, tensor = input_to_spoil(draw, call)
    return replaced(call, index, tensor.to(draw(st.sampled_from(DTYPES))), "data type")


def other_dim(draw: st.DrawFn, operator: Operator, call: Call) -> Call:
    index, tensor = input_to_spoil(draw, call)
    if tensor.dim() == 0:
        return replaced(call, index, tensor.reshape(1), "rank")
    axis, size = draw(st.integers(0, tensor.dim() - 1)), draw(st.integers(0, 6))
    shape = [*tensor.shape[:axis], size, *tensor.shape[axis + 1 :]]
    return replaced(call, index, torch.ones(shape, dtype=tensor.dtype), "dim")


def other_rank(draw: st.DrawFn, operator: Operator, call: Call) -> Call:
    index, tensor = input_to_spoil(draw, call)
    return replaced(call, index, draw(st.sampled_from((tensor[None], tensor.reshape(-1)))), "rank")


def missing_input(draw: st.DrawFn, operator: Operator, call: Call) -> Call:
    return replaced(call, draw(st.integers(0, len(call.inputs) - 1)), None, "missing input")


def other_attribute(draw: st.DrawFn, operator: Operator, call: Call) -> Call:
    names = [attr.name for attr in operator.definition.attributes if not attr.internal]
    if not names:
        return call
    name = draw(st.sampled_from(names))
    given_value = call.attrs.get(name)
    kinds: dict[type, st.SearchStrategy[Any]] = {
        list: st.lists(st.integers(-2, 130), max_size=5),
        bool: st.booleans(),
        int: st.integers(-2, 130),
        str: st.sampled_from(("TND", "BSND", "SBH", "")),
    }
    value = draw(kinds.get(type(given_value), st.integers(-2, 130)))
    return replace(call, attrs={**call.attrs, name: value}, spoilt="attribute")


def attribute_of_another_type(draw: st.DrawFn, operator: Operator, call: Call) -> Call:
    names = [attr.name for attr in operator.definition.attributes if not attr.internal]
    if not names:
        return call
    bad = draw(st.sampled_from((1.5, [1.5], {"a": 1}, [[1]], 2**70, [2**70])))
    return replace(call, attrs={**call.attrs, draw(st.sampled_from(names)): bad}, spoilt="type of an attribute")


SPOILERS = (
    lambda draw, operator, call: call,
    other_dtype,
    other_dim,
    other_rank,
    missing_input,
    other_attribute,
    attribute_of_another_type,
)


# ---- the ways in -------------------------------------------------------------------------------------------------


def by_run(operator: Operator, call: Call) -> list[torch.Tensor]:
    return list(cannery.run(operator.name, call.inputs, call.attrs))


def by_graph(operator: Operator, call: Call, is_dynamic: bool) -> list[torch.Tensor]:
    builder = GraphBuilder()
    holders: list[TensorHolder | None] = []
    tensors: list[Tensor] = []
    for value in call.inputs:
        if value is None:
            holders.append(None)
            continue
        shape = [-1] * value.dim() if is_dynamic else list(value.shape)
        dtype = DataType.of(value.dtype)
        holders.append(builder.create_input(len(tensors), data_type=dtype, shape=shape))
        tensors.append(Tensor.of(CoreTensor(value.contiguous())))
    outputs = getattr(es_functions, operator.name)(*holders, **call.attrs, owner_builder=builder)
    graph = builder.build_and_reset([outputs] if len(operator.definition.outputs) == 1 else list(outputs))
    session().add_graph(0, graph)
    try:
        found = session().run_graph(0, tensors)
    finally:
        session().remove_graph(0)
    return [tensor.core.torch for tensor in found if tensor.core is not None]


def by_ge(operator: Operator, call: Call) -> list[torch.Tensor]:
    return by_graph(operator, call, is_dynamic=False)


def by_dynamic_ge(operator: Operator, call: Call) -> list[torch.Tensor]:
    return by_graph(operator, call, is_dynamic=True)


def by_atb(operator: Operator, call: Call) -> list[torch.Tensor]:
    operation = atb.CreateOperation(parameter(operator, call))
    context, stream = atb.Context(), cannery.runtime.Stream()
    context.SetExecuteStreams([stream])
    try:
        given_ = [None if t is None else TensorDesc(DataType.of(t.dtype), Shape(t.shape)) for t in call.inputs]
        outputs = [torch.zeros(tuple(d.shape), dtype=d.dtype.torch) for d in operation.InferShape(given_)]
        pack = atb.VariantPack(
            [atb.Tensor.of(t.contiguous()) for t in call.inputs if t is not None], [atb.Tensor.of(t) for t in outputs]
        )
        size = operation.Setup(pack, context)
        operation.Execute(pack, torch.empty(size, dtype=torch.uint8) if size else None, size, context)
        stream.synchronize()
    finally:
        atb.DestroyOperation(operation)
    return outputs


def by_torch_atb(operator: Operator, call: Call) -> list[torch.Tensor]:
    operation = Operation(parameter(operator, call))
    if call.spoilt == "missing input":
        raise CannotExpressError("torch_atb: a list of tensors has no gaps")
    return operation.forward([tensor for tensor in call.inputs if tensor is not None])


def parameter(operator: Operator, call: Call) -> Any:
    if operator.definition.contract is not ATB:
        raise CannotExpressError(f"atb: {operator.name} is not an operator of ATB")
    return atb.params.param_classes()[f"{operator.name}Param"](**call.attrs)


def by_torch(operator: Operator, call: Call) -> list[torch.Tensor]:
    if "torch" not in operator.definition.faces:
        raise CannotExpressError(f"torch: {operator.name} has no operator in {NAMESPACE}")
    if call.spoilt in ("missing input", "type of an attribute"):
        raise CannotExpressError(f"torch: the dispatcher itself refuses a {call.spoilt}")
    params = operator.definition.inputs
    named = {param.name: tensor for param, tensor in zip(params, call.inputs, strict=False)}
    attrs = {
        attr.snake_name: call.attrs[attr.name] for attr in operator.definition.attributes if attr.name in call.attrs
    }
    outputs = getattr(getattr(torch.ops, NAMESPACE), operator.definition.snake_name)(**named, **attrs)
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


FACES: dict[str, Callable[[Operator, Call], list[torch.Tensor]]] = {
    "ge": by_ge,
    "ge, dynamic": by_dynamic_ge,
    "atb": by_atb,
    "torch_atb": by_torch_atb,
    "torch": by_torch,
}


@cache
def session() -> Session:
    instance.cache_clear()
    GeApi.ge_initialize({"ge.graphRunMode": "1"})
    return Session()


def outcome(face: Callable[[Operator, Call], list[torch.Tensor]], operator: Operator, call: Call) -> Any:
    """Data type, shape and bytes of each output; or who refused what: stage, the operator's own code, parameter."""
    try:
        outputs = face(operator, call)
    except (OperatorError, AtbError) as refusal:
        return refusal.stage, refusal.code, refusal.parameter
    except GeError as refusal:
        cause = refusal.__cause__
        assert isinstance(cause, OperatorError) and refusal.context["stage"] == cause.stage.value
        return cause.stage, cause.code, cause.parameter
    return [(tensor.dtype, tuple(tensor.shape), bytes(CoreTensor(tensor.contiguous()).bytes())) for tensor in outputs]


@pytest.fixture(autouse=True)
def fresh_session() -> Iterator[None]:
    """A session of the test's own; GE is left as it was found, not initialized."""
    session.cache_clear()
    yield
    session.cache_clear()
    instance.cache_clear()


def test_every_operator_has_legal_calls() -> None:
    ours = {name for name, operator in all_operators().items() if operator.golden.startswith("cannery.ops.")}
    assert ours == set(LEGAL)


@pytest.mark.parametrize("name", LEGAL)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_every_face_gives_the_same_outputs_or_fails_at_the_same_stage(name: str, data: st.DataObject) -> None:
    operator = all_operators()[name]
    spoil = data.draw(st.sampled_from(SPOILERS))
    call = spoil(data.draw, operator, data.draw(LEGAL[name]))
    want = outcome(by_run, operator, call)
    for face, function in FACES.items():
        try:
            assert outcome(function, operator, call) == want, face
        except CannotExpressError as reason:
            assert str(reason)


@pytest.mark.parametrize("name", LEGAL)
def test_the_calls_that_are_drawn_end_in_several_ways(name: str) -> None:
    operator, ends = all_operators()[name], Counter[str]()

    @settings(max_examples=60, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def draw(data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(SPOILERS))(data.draw, operator, data.draw(LEGAL[name]))
        end = outcome(by_run, operator, call)
        ends[f"{call.spoilt}: outputs" if isinstance(end, list) else str(end[0])] += 1

    draw()
    assert ends[f"{UNSPOILT}: outputs"] > 0 and len(ends) > 1, ends


@pytest.mark.parametrize("name", LEGAL)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_an_unspoilt_call_is_legal(name: str, data: st.DataObject) -> None:
    call = data.draw(LEGAL[name])
    if name == "UpdateTensorDesc" and DataType.of(call.inputs[0].dtype) is DataType.DT_BF16:  # type: ignore[union-attr]
        assert outcome(by_run, all_operators()[name], call)[0] is Stage.TILING
    else:
        assert isinstance(outcome(by_run, all_operators()[name], call), list)

"""An operator that records its stages, and a registry that a test fills."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pytest

from cannery.core import DataType, Shape, Tensor, TensorDesc
from cannery.operator import (
    ATB,
    AICoreConfig,
    Attribute,
    AttrType,
    CallContext,
    Operator,
    OperatorDefinition,
    TensorParam,
    TilingResult,
    all_operators,
    registry,
)

DTYPES = (DataType.DT_FLOAT, DataType.DT_FLOAT16)
DEFINITION = OperatorDefinition(
    name="RecordCalls",
    category="test",
    summary="y = x + b, or x where b is absent.",
    source="this test",
    contract=ATB,
    inputs=(TensorParam("x", DTYPES), TensorParam("b", DTYPES, optional=True)),
    outputs=(TensorParam("y", DTYPES),),
    attributes=(
        Attribute("qSeqLen", AttrType.LIST_INT, default=()),
        Attribute("axis", AttrType.INT, default=0),
        Attribute("scale", AttrType.FLOAT, default=1.0),
        Attribute("flag", AttrType.BOOL, default=False),
        Attribute("layout", AttrType.STRING, default="BSND"),
        Attribute("rsv", AttrType.LIST_INT, default=(), internal=True),
    ),
    socs=("Ascend910B", "Ascend950"),
    aicore=AICoreConfig(socs=("Ascend910B", "Ascend950")),
)


@dataclass(frozen=True)
class Found:
    """What an engine that checks gives back."""

    severity: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass
class Recorder:
    """Builds the operator; `log` names the stages in the order in which they ran."""

    log: list[str] = field(default_factory=list)
    contexts: list[CallContext] = field(default_factory=list)
    fail_at: str = ""
    findings: list[Found] = field(default_factory=lambda: [Found("note", "found")])

    def _note(self, stage: str, context: CallContext) -> None:
        self.log.append(stage)
        self.contexts.append(context)
        if stage == self.fail_at:
            raise ZeroDivisionError(stage)

    def check(self, context: CallContext) -> None:
        self._note("check", context)

    def infer_shape(self, context: CallContext) -> tuple[TensorDesc, ...]:
        self._note("infer_shape", context)
        x = context.required("x")
        return (TensorDesc(x.dtype, x.shape),)

    def tiling(self, context: CallContext) -> TilingResult:
        self._note("tiling", context)
        return TilingResult(key=3, block_dim=1, workspaces=(0,), data=b"tiling")

    def launch(
        self, context: CallContext, tiling: TilingResult, inputs: tuple[Tensor | None, ...], outputs: tuple[Tensor, ...]
    ) -> list[Found]:
        self._note("launch", context)
        x, b = (*inputs, None)[:2]
        assert x is not None
        outputs[0].torch.copy_(x.torch if b is None else x.torch + b.torch)
        return self.findings

    def operator(self, **changes: Any) -> Operator:
        definition = replace(DEFINITION, **changes)
        engines = {"eager": self.launch, "other": lambda context, tiling, inputs, outputs: None}
        return Operator(definition, self.check, self.infer_shape, self.tiling, engines)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def entry_point(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """`entry_point(name, loaded)` adds an entry point to those that are installed; an exception is raised on load."""
    installed = list(entry_points(group=registry.GROUP))

    class Given(EntryPoint):
        def load(self) -> Any:
            if isinstance(GIVEN[self.name], Exception):
                raise GIVEN[self.name]
            return GIVEN[self.name]

    def add(name: str, loaded: Any) -> None:
        GIVEN[name] = loaded
        installed.append(Given(name, f"third.party:{name}", registry.GROUP))
        all_operators.cache_clear()

    GIVEN: dict[str, Any] = {}
    monkeypatch.setattr(registry, "entry_points", lambda group: installed)
    all_operators.cache_clear()
    yield add
    all_operators.cache_clear()


@pytest.fixture
def registered(recorder: Recorder, entry_point: Callable[..., None]) -> Recorder:
    """The recorder, its operator found by name."""
    entry_point("record", recorder.operator())
    return recorder


@pytest.fixture
def described() -> Callable[..., TensorDesc]:
    return lambda *shape, dtype=DataType.DT_FLOAT: TensorDesc(dtype, Shape(shape))

"""Every status of GE that a caller can provoke, provoked by name; the rest, and why nobody can.

Source of the codes: hicann/metadef `inc/external/graph/error_codes.h` @786891c0; hicann/ge
`inc/graph_metadef/common/ge_common/ge_inner_error_codes.h` @ffdcbc9f.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cannery.core import GeStatus
from cannery.ge._engine.instance import instance
from cannery.ge.error import GeError
from cannery.ge.es import GraphBuilder
from cannery.ge.es.all import UpdateTensorDesc
from cannery.ge.ge_global import GeApi
from cannery.ge.graph import Graph, Shape, Tensor
from cannery.ge.session import Session
from cannery.runtime import Stream

TRAINING = {"ge.graphRunMode": "1"}
X = Tensor([1.0] * 6, shape=[2, 3])


def graph(attr: list[int] | None = None, shape: list[int] | None = None, index: int = 0) -> Graph:
    builder = GraphBuilder("g")
    x = builder.create_input(index, shape=shape or [2, 3])
    return builder.build_and_reset([UpdateTensorDesc(x, shape=attr or [128])])


def session(options: dict[str, str] | None = None) -> Session:
    GeApi.ge_initialize(options or TRAINING)
    return Session()


def added(made: Graph) -> Session:
    current = session()
    current.add_graph(0, made)
    return current


def run(made: Graph, *tensors: Tensor) -> Any:
    return added(made).run_graph(0, list(tensors) or [X])


def cycle() -> Graph:
    made = graph()
    data, node = made.get_direct_nodes()
    made.add_control_edge(node, data)
    return made


def without_operator(tmp_path: Path) -> Graph:
    path, made = tmp_path / "g.air", graph()
    made.save_to_air(str(path))
    content = json.loads(path.read_text(encoding="utf-8"))
    content["graph"]["nodes"][1]["type"] = "NoSuchOperator"
    path.write_text(json.dumps(content), encoding="utf-8")
    made.load_from_air(str(path))
    return made


def twice(call: Callable[[], Any]) -> None:
    call()
    call()


def remove_while_running() -> None:
    current = added(graph())
    current.run_graph_with_stream_async(0, Stream(), [X])
    current.remove_graph(0)


def two_styles() -> None:
    current = added(graph())
    current.run_graph(0, [X])
    current.run_graph_with_stream_async(0, Stream(), [X])


def built_twice() -> None:
    builder = GraphBuilder()
    x = builder.create_input(0)
    builder.build_and_reset([x])
    builder.build_and_reset([x])


def global_options(**options: str) -> Callable[[Path], Any]:
    return lambda _: GeApi.ge_initialize({key.replace("__", "."): value for key, value in options.items()})


def session_options(**options: str) -> Callable[[Path], Any]:
    return lambda _: (session(), Session({key.replace("__", "."): value for key, value in options.items()}))


def graph_options(**options: str) -> Callable[[Path], Any]:
    return lambda _: session().add_graph(0, graph(), {key.replace("__", "."): value for key, value in options.items()})


S = GeStatus
PROVOKED: list[tuple[str, GeStatus, str, Callable[[Path], Any]]] = [
    ("initialise twice", S.GE_CLI_GE_ALREADY_INITIALIZED, "E19999", lambda _: twice(session)),
    ("session without initialise", S.GE_CLI_GE_NOT_INITIALIZED, "E19999", lambda _: Session().add_graph(0, graph())),
    ("global: unknown option", S.GE_CLI_INIT_FAILED, "E19999", global_options(ge__noSuchOption="1")),
    ("global: no such run mode", S.GE_CLI_INIT_FAILED, "E19999", global_options(ge__graphRunMode="2")),
    ("global: no such device", S.GE_CLI_INIT_FAILED, "E19999", global_options(ge__exec__deviceId="999")),
    ("global: device is no number", S.GE_CLI_INIT_FAILED, "E19999", global_options(ge__exec__deviceId="npu")),
    ("global: training chooses its device", S.GE_CLI_INIT_FAILED, "E19999",
        global_options(ge__exec__deviceId="-1", ge__graphRunMode="1")),
    ("global: no such precision mode", S.GE_CLI_INIT_FAILED, "E19999",
        global_options(ge__exec__precision_mode="exact")),
    ("global: two precision modes", S.GE_CLI_INIT_FAILED, "E19999",
        global_options(ge__exec__precision_mode="force_fp16", ge__exec__precision_mode_v2="fp16")),
    ("global: an option of graphs", S.GE_CLI_INIT_FAILED, "E19999", global_options(ge__inputShape="x:1,2")),
    ("global: no such chip", S.GE_CLI_INIT_FAILED, "E19999", global_options(ge__socVersion="Ascend1")),
    ("session: unknown option", S.GE_CLI_SESS_CONSTRUCT_FAILED, "E19999", session_options(ge__noSuchOption="1")),
    ("session: no such value", S.GE_CLI_SESS_CONSTRUCT_FAILED, "E19999", session_options(ge__jit_compile="yes")),
    ("graph: unknown option", S.GE_CLI_SESS_ADD_FAILED, "E19999", graph_options(ge__noSuchOption="1")),
    ("graph: an option of the process", S.GE_CLI_SESS_ADD_FAILED, "E19999", graph_options(ge__exec__deviceId="0")),
    ("graph: gears without their shapes", S.GE_CLI_SESS_ADD_FAILED, "E19999", graph_options(ge__dynamicDims="1;2")),
    ("graph: two precision modes, one inherited", S.GE_CLI_SESS_ADD_FAILED, "E19999", lambda _: session(
        {"ge.exec.precision_mode": "force_fp16"}).add_graph(0, graph(), {"ge.exec.precision_mode_v2": "fp16"})),
    ("add a graph without nodes", S.GE_CLI_SESS_ADD_FAILED, "E19999", lambda _: session().add_graph(0, Graph())),
    ("add under a taken id", S.GE_GRAPH_GRAPH_ALREADY_EXIST, "E19999", lambda _: added(graph()).add_graph(0, graph())),
    ("run a graph that is not there", S.GE_GRAPH_GRAPH_NOT_EXIST, "E19999", lambda _: session().run_graph(0, [X])),
    ("remove a graph that is not there", S.GE_GRAPH_GRAPH_NOT_EXIST, "E19999", lambda _: session().remove_graph(0)),
    ("remove a graph that runs", S.GE_GRAPH_GRAPH_IS_RUNNING, "E19999", lambda _: remove_while_running()),
    ("a cycle", S.GE_GRAPH_PREPARE_FAILED, "E19999", lambda _: run(cycle())),
    ("an operator without infer function", S.GE_GRAPH_PREPARE_FAILED, "EZ9999", lambda tmp: run(without_operator(tmp))),
    ("a shape that inference refuses", S.GE_GRAPH_INFERSHAPE_FAILED, "E19999", lambda _: run(graph([4, 4]))),
    ("a call that tiling refuses", S.GE_CLI_SESS_RUN_FAILED, "E19999", lambda _: run(
        graph(shape=[1] * 9), Tensor([1.0], shape=[1] * 9))),
    ("too many inputs", S.GRAPH_PARAM_INVALID, "E19999", lambda _: run(graph(), X, X)),
    ("an input of another shape", S.GRAPH_PARAM_INVALID, "E19999", lambda _: run(graph(), Tensor([1.0]))),
    ("an id below zero", S.GRAPH_PARAM_INVALID, "E19999", lambda _: session().remove_graph(-1)),
    ("inputs that do not begin at 0", S.GRAPH_PARAM_OUT_OF_RANGE, "E19999", lambda _: run(graph(index=1))),
    ("an output that is not there", S.GRAPH_PARAM_OUT_OF_RANGE, "E19999",
        lambda _: graph().get_direct_nodes()[0].get_output_desc(1)),
    ("bytes beyond int64", S.GRAPH_MUL_OVERFLOW, "E19999", lambda _: run(graph(shape=[2**31, 2**31]))),
    ("elements beyond int64", S.GRAPH_MUL_OVERFLOW, "E19999", lambda _: Shape([2**40, 2**40]).get_shape_size()),
    ("two styles of running", S.FAILED, "E10062", lambda _: two_styles()),
    ("build twice", S.FAILED, "E10062", lambda _: built_twice()),
]  # fmt: skip

NOT_PROVOKED = {
    S.SUCCESS: "is not an error",
    S.GRAPH_NODE_NEED_REPASS: "a pass tells the pass manager; no caller sees it",
    S.GRAPH_NOT_CHANGED: "a pass tells the pass manager; no caller sees it",
    S.GE_CLI_SESS_REMOVE_FAILED: "removal fails for the reason it has: no such graph, or one that runs",
}


@pytest.fixture(autouse=True)
def fresh_process() -> Iterator[None]:
    instance.cache_clear()
    yield
    instance.cache_clear()


@pytest.mark.parametrize(("code", "text", "provoke"), [row[1:] for row in PROVOKED], ids=[row[0] for row in PROVOKED])
def test_a_caller_can_provoke(code: GeStatus, text: str, provoke: Callable[[Path], Any], tmp_path: Path) -> None:
    with pytest.raises(GeError) as refusal:
        provoke(tmp_path)
    assert (refusal.value.code, refusal.value.text_code) == (code, text)
    line = str(refusal.value)
    assert refusal.value.api_name and "\n" not in line and f"[{code.name} {int(code)}]" in line and "found" in line


def test_every_status_is_in_a_table() -> None:
    assert {row[1] for row in PROVOKED} | set(NOT_PROVOKED) == set(GeStatus)


def test_every_text_code_is_provoked() -> None:
    assert {row[2] for row in PROVOKED} == {"E19999", "E10062", "EZ9999"}


@pytest.mark.parametrize(
    "options",
    [
        {"ge.exec.deviceId": "0", "ge.graphRunMode": "1", "ge.exec.precision_mode": "must_keep_origin_dtype"},
        {"ge.exec.deviceId": "-1", "ge.graphRunMode": "0"},
        {"ge.exec.precision_mode_v2": "origin", "ge.jit_compile": "1"},
        {"ge.exec.static_model_ops_lower_limit": "-1"},
    ],
)
def test_usual_options_are_taken(options: dict[str, str]) -> None:
    assert GeApi.ge_initialize(options) == 0


def test_a_refused_initialisation_leaves_ge_uninitialised() -> None:
    with pytest.raises(GeError):
        GeApi.ge_initialize({"ge.graphRunMode": "9"})
    assert GeApi.ge_initialize(TRAINING) == 0

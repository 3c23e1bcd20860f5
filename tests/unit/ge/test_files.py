"""Files of graphs that were changed by somebody: loaded, compiled and drawn, or refused; never another exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cannery.ge._engine.air import load_air, save_air, to_text
from cannery.ge._engine.compile import Machine, compile_graph
from cannery.ge._engine.render import RENDERERS
from cannery.ge.error import GeError
from cannery.ge.es import GraphBuilder
from cannery.ge.es.all import UpdateTensorDesc


def saved() -> Any:
    """What a file of two operators and a constant holds."""
    builder = GraphBuilder("g")
    first = UpdateTensorDesc(builder.create_input(0, shape=[2, -1]), shape=[128])
    second = UpdateTensorDesc(builder.create_const_int32([1, 2]), shape=[4, 8, 4])
    builder.add_control_dependency(second, [first])
    return json.loads(to_text(builder.build_and_reset([first, second]).model))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, below in pairs for place in places(below, (*path, key)))]


strange = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 2**70), st.floats(), st.text(max_size=4), st.lists(st.integers(-3, 9)),
    st.just({}), st.sampled_from(["Const", "Data", "UpdateTensorDesc", "UpdateTensorDesc_0", "DT_STRING", "AAAA"]),
)  # fmt: skip


@settings(max_examples=300)
@given(data=st.data())
def test_a_changed_file_is_read_or_refused(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    content = saved()
    *way, last = data.draw(st.sampled_from(places(content)[1:]))
    place = content
    for key in way:
        place = place[key]
    if data.draw(st.booleans()):
        place[last] = data.draw(strange)
    else:
        del place[last]
    path = tmp_path_factory.mktemp("air") / "g.air"
    path.write_text(json.dumps(content), encoding="utf-8")
    try:
        graph = load_air(path)
        compile_graph(graph, Machine())
        for render in RENDERERS.values():
            render(graph)
        save_air(graph, path)
    except GeError as refusal:
        assert "\n" not in str(refusal)


def test_an_unchanged_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "g.air"
    path.write_text(json.dumps(saved()), encoding="utf-8")
    plan = compile_graph(load_air(path), Machine())
    assert [list(source.desc.shape) for source in plan.outputs] == [[128], [4, 8, 4]]


@pytest.mark.parametrize("port", [float("inf"), float("nan"), 2**70, -1])
def test_a_port_that_is_no_port_is_refused(tmp_path: Path, port: float) -> None:
    content, path = saved(), tmp_path / "g.air"
    place = next(node for node in content["graph"]["nodes"] if node["type"] == "UpdateTensorDesc")
    place["inputs"][0][1] = port
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(GeError, match="expected a file"):
        load_air(path)

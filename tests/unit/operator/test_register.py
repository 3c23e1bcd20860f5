"""Operators that a program registers, and who follows the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cannery.operator import all_operators, find_operator, register_operator
from cannery.operator.registry import Registry


@pytest.fixture(autouse=True)
def _fresh(entry_point: Callable[..., None]) -> None:
    """A registry of the test's own."""


def test_a_registered_operator_is_found(recorder: Any) -> None:
    operator = recorder.operator(name="Late")
    register_operator(operator)
    assert find_operator("Late") is find_operator("late") is operator
    assert list(all_operators()) == sorted(all_operators())


@pytest.mark.parametrize("name", ["UpdateTensorDesc", "Update_tensor_desc", "RecordCalls"])
def test_a_name_that_is_taken_is_refused(name: str, recorder: Any, entry_point: Callable[..., None]) -> None:
    entry_point("theirs", recorder.operator())
    with pytest.raises(ValueError, match=f"found {name}, which is already there"):
        register_operator(recorder.operator(name=name))


def test_what_is_no_operator_is_refused() -> None:
    with pytest.raises(TypeError, match="found str, expected"):
        register_operator("UpdateTensorDesc")  # type: ignore[arg-type]


def test_a_follower_sees_every_operator_once(recorder: Any) -> None:
    seen: list[str] = []
    all_operators().follow(lambda operator: seen.append(operator.name))
    there = list(all_operators())
    register_operator(recorder.operator(name="Late"))
    assert seen == [*there, "Late"]


def test_a_follower_that_fails_is_warned_about(recorder: Any) -> None:
    def refuse(operator: Any) -> None:
        if operator.name == "Late":
            raise RuntimeError("no such schema")

    all_operators().follow(refuse)
    with pytest.warns(UserWarning, match="operator Late is left out of .*: no such schema"):
        register_operator(recorder.operator(name="Late"))
    assert find_operator("Late").name == "Late"


def test_a_package_that_looks_while_it_is_loaded_finds_ours(recorder: Any, entry_point: Callable[..., None]) -> None:
    seen: list[str] = []

    def load() -> Any:
        assert "UpdateTensorDesc" in all_operators()
        all_operators().follow(lambda operator: seen.append(operator.name))
        return recorder.operator(name="Late")

    entry_point("theirs", load)
    assert isinstance(all_operators(), Registry) and "Late" in all_operators()
    assert seen.count("Late") == 1 and set(seen) == set(all_operators())


@pytest.mark.parametrize("faces", [("gee",), ("asc",), "ge", ("ge", "GE")])
def test_a_face_that_offers_no_operators_is_refused(faces: Any, recorder: Any) -> None:
    with pytest.raises(ValueError, match=r"RecordCalls: faces: found '.*', expected a tuple of aclnn, atb, ge, torch"):
        recorder.operator(faces=faces)

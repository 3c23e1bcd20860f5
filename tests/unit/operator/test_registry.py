"""The registry: ours, third parties', and what happens when one of them is broken."""

import warnings
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from cannery.operator import Operator, UnknownOperatorError, all_operators, find_operator, register_operator


@pytest.mark.parametrize("name", ["UpdateTensorDesc", "update_tensor_desc", "UpdateTensorDescOperation"])
def test_an_operator_is_found_under_each_of_its_names(name: str) -> None:
    assert find_operator(name).name == "UpdateTensorDesc"


@pytest.mark.parametrize(
    ("wrong", "near"), [("UpdateTensorDisc", "UpdateTensorDesc"), ("update_tensor", "update_tens")]
)
def test_an_unknown_name_answers_with_the_nearest(wrong: str, near: str) -> None:
    with pytest.raises(UnknownOperatorError, match=near) as caught:
        find_operator(wrong)
    assert isinstance(caught.value, ValueError)


def test_a_name_that_is_near_nothing_is_not_answered_with_all_of_them() -> None:
    with pytest.raises(UnknownOperatorError, match=r"found 'qqqq', expected a known one; cannery ops lists them$"):
        find_operator("qqqq")


@pytest.mark.parametrize("wrong", [None, 3, ["UpdateTensorDesc"], ""])
def test_what_is_no_name_is_refused(wrong: Any) -> None:
    with pytest.raises(UnknownOperatorError):
        find_operator(wrong)


def test_operators_are_sorted_and_keyed_by_their_type() -> None:
    operators = all_operators()
    assert list(operators) == sorted(operators)
    assert all(operator.name == name for name, operator in operators.items())


def test_a_third_partys_operator_is_found(recorder: Any, entry_point: Callable[..., None]) -> None:
    operator = recorder.operator()
    entry_point("theirs", operator)
    assert find_operator("RecordCalls") is find_operator("record_calls") is operator
    assert "UpdateTensorDesc" in all_operators()


@pytest.mark.parametrize("shape", ["a list", "a function", "a generator function"])
def test_an_entry_point_may_give_several(shape: str, recorder: Any, entry_point: Callable[..., None]) -> None:
    pair = [recorder.operator(name="FirstOne"), recorder.operator(name="SecondOne")]
    entry_point(
        "theirs", {"a list": pair, "a function": lambda: pair, "a generator function": lambda: iter(pair)}[shape]
    )
    assert {"FirstOne", "SecondOne"} <= set(all_operators())


def _broken_midway() -> Any:
    yield from ()
    raise KeyError("midway")


@pytest.mark.parametrize(
    ("loaded", "text"),
    [
        (ImportError("no module named theirs"), "no module named theirs"),
        (RuntimeError("boom"), "boom"),
        (_broken_midway, "midway"),
        ([1, 2], "found int, expected"),
        (3, "not iterable"),
    ],
)
def test_a_broken_plug_in_is_warned_about_and_left_out(
    loaded: Any, text: str, entry_point: Callable[..., None]
) -> None:
    entry_point("broken", loaded)
    with pytest.warns(UserWarning, match=f"entry point broken = third.party:broken .*{text}"):
        assert "UpdateTensorDesc" in all_operators()


def test_a_name_that_is_taken_is_warned_about_and_ours_stays(recorder: Any, entry_point: Callable[..., None]) -> None:
    entry_point("theirs", recorder.operator(name="UpdateTensorDesc"))
    with pytest.warns(UserWarning, match="UpdateTensorDesc of third.party:theirs is already there"):
        assert find_operator("UpdateTensorDesc").definition.category == "control"


def test_a_snake_name_that_is_taken_is_as_taken(recorder: Any, entry_point: Callable[..., None]) -> None:
    entry_point("theirs", recorder.operator(name="update_tensor_desc"))
    with pytest.warns(UserWarning, match="update_tensor_desc of third.party:theirs is already there"):
        assert find_operator("update_tensor_desc").name == "UpdateTensorDesc"


def test_an_operator_that_its_package_registers_itself_is_found_without_a_warning(
    recorder: Any, entry_point: Callable[..., None]
) -> None:
    operator = recorder.operator()

    def registered() -> Any:
        register_operator(operator)
        return operator

    entry_point("theirs", registered)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_operator("RecordCalls") is operator


def test_after_an_interrupt_operators_are_loaded_again(recorder: Any, entry_point: Callable[..., None]) -> None:
    answers = iter([KeyboardInterrupt(), recorder.operator()])

    def interrupted_once() -> Any:
        answer = next(answers)
        if isinstance(answer, KeyboardInterrupt):
            raise answer
        return answer

    entry_point("theirs", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        find_operator("UpdateTensorDesc")
    assert find_operator("UpdateTensorDesc").name == "UpdateTensorDesc"
    assert find_operator("RecordCalls").name == "RecordCalls"


def test_another_thread_can_look_up_while_a_package_loads(recorder: Any, entry_point: Callable[..., None]) -> None:
    """As it must where the package waits for an import of that thread's, such as ``cannery.pytorch``."""
    operator, seen = recorder.operator(), list[list[str]]()
    other = Thread(target=lambda: seen.append(list(all_operators())), daemon=True)

    def waits_for_the_other() -> Any:
        if other.ident is None:
            other.start()
            other.join(20)
        return operator

    entry_point("theirs", waits_for_the_other)
    assert "RecordCalls" in all_operators()
    assert seen == [list(all_operators())]


def test_the_shipped_operators_load_without_a_warning() -> None:
    all_operators.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(isinstance(operator, Operator) for operator in all_operators().values())


def test_engines_cannot_be_changed_from_outside(recorder: Any) -> None:
    with pytest.raises(TypeError):
        recorder.operator().engines["eager"] = None

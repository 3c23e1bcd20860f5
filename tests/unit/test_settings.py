"""The one order of who decides a setting, sessions that nest, and values that cannot be."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import cannery
from cannery.asc.runtime import config
from cannery.atb import UnpadWithHiddenStateParam
from cannery.atb.single import CreateOperation
from cannery.operator import find_operator
from cannery.operator.staged import choose_engine
from cannery.pytorch import target
from cannery.runtime.stream import Stream
from cannery.settings import (
    DEFAULT_CHIP,
    SETTINGS,
    Origin,
    SettingError,
    current_settings,
    device_chip,
    find_setting,
    process_scope,
    scoped,
    variables,
)
from cannery.soc import UnknownSocError, soc
from cannery.watch import current, process_session, session

PAD = "UnpadWithHiddenState"
ATTRS = {"qSeqLen": [3, 1], "maxSeqLen": 4}
CHIPS = ("Ascend910B1", "Ascend910B3", "Ascend910_9391", "Ascend950PR_9589")
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "chip": st.sampled_from(CHIPS),
    "engine": st.sampled_from(("eager", "aicore", "aicpu")),
    "seed": st.integers(-9, 9),
    **dict.fromkeys(("quirks", "check", "precise", "saturate"), st.booleans()),
}


@pytest.fixture(name="no_variables", autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS.values():
        monkeypatch.delenv(setting.variable, raising=False)


def rows() -> torch.Tensor:
    return torch.ones(2, 4, 128, dtype=torch.float16)


def text_of(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def plain(name: str, value: Any) -> Any:
    return value.name if name == "chip" and value is not None else value


@st.composite
def places(draw: st.DrawFn) -> tuple[str, dict[Origin, Any], list[Any]]:
    """A setting; what each place below says of it; what nested sessions say, from outside."""
    name = draw(st.sampled_from(sorted(VALUES)))
    maybe = st.none() | VALUES[name]
    below = [Origin.ARGUMENT, Origin.COMMAND_LINE, Origin.ENVIRONMENT, *([Origin.PROGRAM] if name == "chip" else [])]
    return name, {origin: draw(maybe) for origin in below}, draw(st.lists(maybe, max_size=3))


@given(places())
def test_the_first_place_that_says_something_wins(drawn: tuple[str, dict[Origin, Any], list[Any]]) -> None:
    name, said, sessions = drawn
    setting = SETTINGS[name]
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        if said[Origin.ENVIRONMENT] is not None:
            patch.setenv(setting.variable, text_of(said[Origin.ENVIRONMENT]))
        stack.enter_context(process_scope(**{setting.argument: said[Origin.COMMAND_LINE]}))
        if said.get(Origin.PROGRAM) is not None:
            config.set_platform("Model", said[Origin.PROGRAM])
        for value in sessions:
            stack.enter_context(scoped(**{setting.argument: value}))
        found = find_setting(name, said[Origin.ARGUMENT])
    inner = next((value for value in reversed(sessions) if value is not None), None)
    order = sorted({**said, Origin.SESSION: inner, Origin.DEFAULT: setting.default}.items())
    origin = next((origin for origin, value in order if value is not None), Origin.DEFAULT)
    assert (found.origin, plain(name, found.value)) == (origin, dict(order)[origin])


@given(st.dictionaries(st.sampled_from(sorted(VALUES)), st.nothing() | st.integers()), st.data())
@hypothesis_settings(max_examples=30)
def test_a_session_inherits_what_it_does_not_set(names: dict[str, int], data: st.DataObject) -> None:
    outer = {SETTINGS[name].argument: data.draw(VALUES[name]) for name in VALUES}
    inner = {SETTINGS[name].argument: data.draw(VALUES[name]) for name in names}
    with session(**outer), session(**inner):
        found = current_settings()
    wanted = {**outer, **inner}
    assert {SETTINGS[n].argument: plain(n, getattr(found, n)) for n in VALUES} == wanted
    assert set(found.origins.values()) == {Origin.SESSION}


def test_without_anybody_s_word_the_defaults_hold() -> None:
    found = current_settings()
    assert (found.chip, found.engine, found.seed) == (None, "", 0)
    assert not (found.quirks or found.check or found.precise)
    assert set(found.origins.values()) == {Origin.DEFAULT}
    assert device_chip().name == config.platform().name == DEFAULT_CHIP


def test_a_session_of_any_kind_nests_in_any_other() -> None:
    with session(soc="Ascend910B3", check=True), target(quirks=True) as inner:
        assert (inner.chip, inner.quirks, inner.check) == (soc("Ascend910B3"), True, True)
        with target("Ascend910B4"):
            result = cannery.run(PAD, [rows()], ATTRS)
    assert (result.context.soc.name, result.context.quirks) == ("Ascend910B4", True)


def test_sessions_may_end_in_another_order_than_they_began() -> None:
    first, second = scoped(seed=1), scoped(seed=2)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert find_setting("seed").value == 2
    second.__exit__(None, None, None)
    assert find_setting("seed").origin is Origin.DEFAULT


def test_a_session_that_ends_in_another_thread_is_over_everywhere() -> None:
    with scoped(seed=1):
        inner = scoped(seed=2)
        inner.__enter__()
        other = threading.Thread(target=lambda: inner.__exit__(None, None, None))
        other.start()
        other.join()
        assert find_setting("seed").value == 1
    assert find_setting("seed").origin is Origin.DEFAULT


def test_a_session_of_an_asynchronous_generator_that_another_task_closes_is_over() -> None:
    async def chips() -> AsyncGenerator[str, None]:
        with session(soc="Ascend910B3"):
            yield device_chip().name

    async def close(opened: AsyncGenerator[str, None]) -> None:
        await opened.aclose()

    async def main() -> tuple[str, str]:
        opened = chips()
        during = await anext(opened)
        await asyncio.create_task(close(opened))
        return during, device_chip().name

    assert asyncio.run(main()) == ("Ascend910B3", DEFAULT_CHIP)


def test_a_seed_that_no_variable_could_hand_on_is_refused() -> None:
    with pytest.raises(SettingError, match="seed: found 1000000000000000000, expected an integer of at most 18 digits"):
        find_setting("seed", 10**18)
    assert find_setting("seed", 10**18 - 1).value == 10**18 - 1


def test_a_platform_of_the_program_ends_with_its_session() -> None:
    with process_session():
        config.set_platform("Model", "Ascend910B2")
        with session():
            config.set_platform("Model", "Ascend910B3")
            assert config.platform().name == "Ascend910B3"
        assert config.platform().name == "Ascend910B2"
    assert config.platform().name == DEFAULT_CHIP


def test_equal_sessions_gather_each_for_itself() -> None:
    with session(check=True) as outer:
        with session(check=True) as inner:
            cannery.run(PAD, [rows()], ATTRS, engine="aicore")
        assert (len(inner.launches), len(outer.launches)) == (1, 0)
        cannery.run(PAD, [rows()], ATTRS, engine="aicore")
    assert (len(inner.launches), len(outer.launches)) == (1, 1)


def test_threads_that_launch_at_once_lose_nothing() -> None:
    def work(number: int) -> int:
        with session(seed=number) as found:
            for _ in range(5):
                cannery.run(PAD, [rows()], ATTRS, engine="aicore")
        return sum(launch.seed == number for launch in found.launches)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [5] * 8


def test_a_thread_sees_the_command_line_and_not_the_session() -> None:
    seen: list[Any] = []
    with process_session(check=True, soc="Ascend910B2") as found, session(soc="Ascend910B3"):
        thread = threading.Thread(target=lambda: seen.extend((current_settings(), current())))
        thread.start()
        thread.join()
    assert (seen[0].chip.name, seen[0].check) == ("Ascend910B2", True) and seen[1] is found


def test_tasks_do_not_see_each_other_s_sessions() -> None:
    async def work(chip: str) -> str:
        with session(soc=chip):
            await asyncio.sleep(0)
            return device_chip().name

    async def both() -> list[str]:
        return await asyncio.gather(*(work(chip) for chip in CHIPS))

    assert asyncio.run(both()) == list(CHIPS)


def test_work_in_a_stream_runs_under_the_session_that_submitted_it() -> None:
    stream, seen = Stream(), []
    with session(soc="Ascend910B3"):
        stream.submit(lambda: seen.append(device_chip().name))
    stream.synchronize()
    assert seen == ["Ascend910B3"]


@pytest.mark.parametrize("value", ["false", "0", 0, 1, [], 1.0])
@pytest.mark.parametrize("switch", ["quirks", "check", "precise", "saturate"])
def test_a_switch_takes_bool_only(switch: str, value: Any) -> None:
    with pytest.raises(SettingError, match=f"^{switch}: found .*, expected True or False"), session(**{switch: value}):
        pass
    with pytest.raises(SettingError, match=f"^--{switch}: "), process_session(**{switch: value}):
        pass
    with pytest.raises(SettingError):
        find_setting(switch, value)


@pytest.mark.parametrize("value", ["false", 0])
def test_quirks_take_bool_only_at_every_entry_point(value: Any) -> None:
    with pytest.raises(SettingError, match="quirks"):
        cannery.run(PAD, [rows()], ATTRS, quirks=value)
    with pytest.raises(SettingError, match="quirks"), target(quirks=value):
        pass
    with pytest.raises(SettingError, match="quirks"):
        CreateOperation(UnpadWithHiddenStateParam([3, 1], 4), quirks=value)


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("CANNERY_SOC", "Foo", "expected a known chip; the families are Ascend910B"),
        ("CANNERY_QUIRKS", "yes", r"expected 1 \(on\), 0 \(off\)"),
        ("CANNERY_ENGINE", "aicor", "expected one of aicore, aicpu, eager"),
        ("CANNERY_CHECK", "true", "expected 1"),
        ("CANNERY_SEED", "1.5", "expected an integer"),
        ("CANNERY_PRECISE", "2", "expected 1"),
    ],
)
def test_a_variable_that_cannot_be_is_refused_by_name(
    variable: str, value: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises((SettingError, UnknownSocError), match=f"^{variable}: found '{value}', {text}"):
        current_settings()
        cannery.run(PAD, [rows()], ATTRS)


def test_a_chip_that_an_operator_has_not_is_refused_with_the_place_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANNERY_SOC", "Ascend910B3")
    tail = "expected a chip of Ascend950"
    with pytest.raises(cannery.OperatorError, match=rf"soc: found Ascend910B3 \(by CANNERY_SOC\), {tail}"):
        cannery.run("UpdateTensorDesc", [torch.ones(2)], {"shape": [128]})
    with process_scope(soc="Ascend910B2"), pytest.raises(cannery.OperatorError, match=r"Ascend910B2 \(by --soc\), "):
        cannery.run("UpdateTensorDesc", [torch.ones(2)], {"shape": [128]})
    with session(soc="Ascend910B2"), pytest.raises(cannery.OperatorError, match=f"Ascend910B2, {tail}"):
        cannery.run("UpdateTensorDesc", [torch.ones(2)], {"shape": [128]})


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS.values():
        monkeypatch.setenv(setting.variable, " ")
    assert set(current_settings().origins.values()) == {Origin.DEFAULT}


def test_an_engine_that_an_operator_has_not_is_refused_as_an_argument_only(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = find_operator("FastSoftMax")
    with pytest.raises(ValueError, match="engine: found 'aicore'"):
        choose_engine(operator, "aicore")
    monkeypatch.setenv("CANNERY_ENGINE", "aicore")
    assert choose_engine(operator, None, "eager") == "eager"
    assert choose_engine(find_operator(PAD), None, "eager") == "aicore"


def test_processes_inherit_what_the_command_line_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_SEED", "3")
    with process_scope(soc="Ascend910B", quirks=True, check=True, engine="aicore"), session(precise=True):
        given = variables(current_settings())
    assert given == {"CANNERY_SOC": "Ascend910B1", "CANNERY_QUIRKS": "1", "CANNERY_ENGINE": "aicore"}

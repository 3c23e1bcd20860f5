"""The events that an object keeps for itself: none is missing, and each one is needed."""

from typing import Any

import pytest

from cannery.aicore.core import Core
from cannery.aicore.flags import Event, Inner
from cannery.aicore.instruction import Site

from .products import run


def act(matmul: Any, a: Any, b: Any, c: Any, bias: Any) -> None:
    matmul.set_tensor_a(a)
    matmul.set_tensor_b(b)
    matmul.set_bias(bias)
    matmul.iterate_all(c)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("", set()), ("MTE2_MTE1", {"RAW"}), ("MTE1_MTE2", {"WAR"}), ("MTE1_M", {"RAW"}), ("M_MTE1", {"WAR"}),
        ("M_FIX", {"RAW"}), ("FIX_M", {"WAR"}),
    ],
)  # fmt: skip
def test_without_one_of_its_events_there_is_a_race(name: str, found: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    wait, set_event = Core.wait_event, Core.set_event

    def is_dropped(event: Event) -> bool:
        return isinstance(event, Inner) and event.name == name

    def wait_for_others(core: Core, event: Event, site: Site | None, *, by: str = "") -> None:
        if not is_dropped(event):
            wait(core, event, site, by=by)

    def set_others(core: Core, event: Event, site: Site | None, *, by: str = "") -> None:
        if not is_dropped(event):
            set_event(core, event, site, by=by)

    monkeypatch.setattr(Core, "wait_event", wait_for_others)
    monkeypatch.setattr(Core, "set_event", set_others)
    _, _, kinds = run(act, (96, 96, 128), (16, 32, 32), is_bias=1)
    assert kinds == found

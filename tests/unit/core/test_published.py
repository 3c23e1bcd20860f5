"""Names that the originals publish: there where cannery has not built them, and nothing else is."""

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from cannery.core.published import Absent, AbsentError, module_getattr, published, with_published

PACKAGES = {"acl": "cannery.acl", "asc": "cannery.asc", "ge": "cannery.ge", "torch_atb": "cannery.atb.torch_atb"}


def modules() -> Iterator[tuple[str, str, str]]:
    """Package, the original's module, the place of ours; without classes."""
    for head, package in PACKAGES.items():
        for owner in published(package).names:
            if not owner.rpartition(".")[2][0].isupper():
                yield package, owner, package + owner.removeprefix(head)


@pytest.mark.parametrize(("package", "owner", "place"), list(modules()))
def test_every_published_name_can_be_read_and_no_other(package: str, owner: str, place: str) -> None:
    module = importlib.import_module(place)
    for name in published(package).names[owner]:
        assert hasattr(module, name), name
    assert not hasattr(module, "nobody_publishes_this")


@pytest.mark.parametrize("package", PACKAGES.values())
def test_the_data_names_its_source_and_commit(package: str) -> None:
    assert re.search(r"hicann/\S+ .* @[0-9a-f]{7,8}$", published(package).source)


def test_an_absent_name_says_what_it_is_when_it_is_used() -> None:
    absent: Any = Absent("acl.mdl.execute", "no models")

    def derive() -> None:
        class Derived(absent):
            pass

    for use in (absent, derive, absent.__enter__):
        with pytest.raises(NotImplementedError, match=r"acl\.mdl\.execute is not there in cannery: no models"):
            use()
    with pytest.raises(AbsentError, match=r"acl\.mdl\.execute\.mode is not there"):
        _ = absent.mode
    assert not hasattr(absent, "mode") and not hasattr(absent, "_private")
    assert repr(absent) == "<acl.mdl.execute is not there in cannery: no models>"
    assert absent.__name__ == "execute"


def test_a_module_of_ours_is_imported_where_it_is_published() -> None:
    get = module_getattr("cannery.acl", "acl", "why")
    assert get("mdl") is importlib.import_module("cannery.acl.mdl")
    with pytest.raises(NotImplementedError, match=r"acl\.get_cann_attribute"):
        get("get_cann_attribute")(1)


def test_a_class_gets_the_members_it_has_not() -> None:
    @with_published("cannery.acl", "acl.util", "why")
    class Util:
        def start_thread(self) -> int:
            return 1

    assert Util().start_thread() == 1
    with pytest.raises(NotImplementedError, match=r"Util\.stop_thread is not there"):
        Util().stop_thread()  # type: ignore[attr-defined]

"""Substituting the NPU stack's packages."""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import pytest

import cannery.asc
from cannery import activate as activation
from cannery.faces import substituted_packages


@pytest.fixture(autouse=True)
def _substituted() -> Iterator[None]:
    activation.activate()
    yield
    activation.activate()


def test_a_name_and_its_submodules_are_this_packages() -> None:
    asc = import_module("asc")
    assert asc is cannery.asc
    assert import_module("asc.lib.runtime") is cannery.asc.lib.runtime
    assert import_module("asc.language.core.dtype").KnownTypes.int32 == asc.int32
    assert cannery.asc.__name__ == cannery.asc.__spec__.name == "cannery.asc"


def test_submodules_are_listed_with_their_package() -> None:
    acl = import_module("acl")
    assert sys.modules["acl.rt"] is acl.rt and sys.modules["acl.util"] is acl.util
    activation.deactivate()
    assert "acl.rt" not in sys.modules and "cannery.acl.rt" in sys.modules


def test_a_kept_name_is_left_alone() -> None:
    activation.activate(keep=["asc"])
    sys.modules.pop("asc", None)
    with pytest.raises(ModuleNotFoundError, match="asc"):
        import_module("asc")


def test_a_name_that_is_not_in_the_table_cannot_be_kept() -> None:
    with pytest.raises(activation.UnknownNameError, match="found 'numpy', expected one of acl, aclnn, asc"):
        activation.activate(keep=["numpy"])


def test_what_is_not_there_is_no_module() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("asc.no_such_module")


def test_every_name_of_every_face_leads_to_a_module() -> None:
    assert [place for place in substituted_packages().values() if find_spec(place) is None] == []

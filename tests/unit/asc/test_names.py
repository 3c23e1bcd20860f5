"""The names of ``asc``: those of its modules and those made from the table of instructions."""

import copy
import pickle
from pathlib import Path

import pytest

from cannery import asc
from cannery.asc.census import page
from cannery.asc.stub import PATH, stub
from cannery.isa.table import ROWS


def test_editors_read_what_the_stub_writes() -> None:
    assert PATH.read_text(encoding="utf-8") == stub(), "run python -m cannery.asc.stub"


def test_the_page_of_names_is_current() -> None:
    committed = Path(__file__).parents[3] / "docs" / "asc.md"
    assert committed.read_text(encoding="utf-8") == page(), "run python -m cannery.asc.census docs/asc.md"


@pytest.mark.parametrize("name", [op.name for op in ROWS if op.form != "element"])
def test_every_instruction_has_its_name(name: str) -> None:
    module = asc.adv if "." in name else asc
    plain = name.rpartition(".")[2]
    call = getattr(module, plain)
    assert plain in module.__all__ and call.__name__ == plain and call.__doc__


def test_an_element_type_is_itself_when_copied_or_pickled() -> None:
    for name in ("float16", "bfloat16", "int32", "void"):
        dtype = getattr(asc, name)
        assert copy.deepcopy([dtype])[0] is dtype and pickle.loads(pickle.dumps(dtype)) is dtype

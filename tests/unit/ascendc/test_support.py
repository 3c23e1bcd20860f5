"""The page of what Ascend C has here."""

from pathlib import Path

from cannery.ascendc.support import PAGE, page
from cannery.ascendc.unsupported import FUNCTIONS


def test_the_page_is_that_of_the_headers() -> None:
    assert (Path(__file__).parents[3] / "docs" / PAGE).read_text(encoding="utf-8") == page()


def test_it_names_what_is_there_and_not_what_is_refused() -> None:
    there = page().partition("## Limits")[0]
    for name in ("Add", "Sin", "Mmad", "GatherMask", "WholeReduceSum", "SetFlag", "InitOutput", "SoftMax", "TQueSync"):
        assert f" {name}," in there or f" {name} |" in there
    assert [name for name in FUNCTIONS if f" {name}," in there] == []

"""``cannery ops`` and ``cannery ops show``: complete as JSON, readable on 80 columns, plain in a pipe."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from cannery.operator import all_operators
from cannery.soc import all_socs

Run = Callable[..., Any]
NAMES = list(all_operators())


def test_the_list_is_json_with_what_a_program_needs(cannery: Run) -> None:
    listed = json.loads(cannery("ops", "--json").out)
    assert [line["name"] for line in listed] == NAMES
    update = next(line for line in listed if line["name"] == "UpdateTensorDesc")
    assert update["category"] == "control"
    assert "eager" in update["engines"]
    assert update["socs"] == ["Ascend950"]
    assert update["default_soc"] == "Ascend950PR_9589"
    for line in listed:
        assert line["engines"] and set(line["socs"]) <= {chip.short_name for chip in all_socs()}


def test_the_table_has_one_whole_line_an_operator(cannery: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    header, *lines = cannery("ops").out.splitlines()
    assert header.split() == ["operator", "category", "engines", "chips"]
    assert [line.split()[0] for line in lines] == NAMES


@pytest.mark.parametrize("columns", ["20", "40", "80"])
def test_a_narrow_terminal_wraps_the_table_and_cuts_nothing(
    columns: str, cannery: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = cannery("ops").out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= int(columns)


def test_a_pipe_gets_whole_lines_whatever_columns_says(cannery: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert [line.split()[0] for line in cannery("ops").out.splitlines()[1:]] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_80_columns_and_is_plain_text(name: str, cannery: Run) -> None:
    out = cannery("ops", "show", name).out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert not any(line.endswith(" ") for line in out.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_all_there_is(name: str, cannery: Run) -> None:
    text = "".join(cannery("ops", "show", name).out.split())
    operator = all_operators()[name]
    definition = operator.definition
    wanted = [definition.summary, definition.source, *operator.engines, *definition.constraints, *definition.faces]
    for tensor in definition.tensors:
        wanted += [tensor.name, tensor.shape, tensor.doc, *(dtype.short for dtype in tensor.dtypes)]
    for attribute in definition.attributes:
        wanted += [] if attribute.internal else [attribute.name, attribute.doc, attribute.limits]
    for quirk in definition.quirks:
        wanted += [quirk.name, quirk.default, quirk.faithful]
    wanted += [chip.name for chip in all_socs() if chip.short_name in definition.socs]
    assert [words for words in wanted if "".join(words.split()) not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_table_of_a_definition_is_on_the_page(name: str, cannery: Run) -> None:
    out = cannery("ops", "show", name).out
    words = set(out.split())
    for title, rows in all_operators()[name].definition.tables.items():
        assert "".join(title.split()) in "".join(out.split())
        assert [cell for row in rows for cell in row if not set(cell.split()) <= words] == []


def test_a_table_of_facts_is_laid_out_in_columns() -> None:
    from rich.console import Console

    from cannery.cli.describe import describe
    from cannery.cli.page import page

    described = describe(all_operators()["UpdateTensorDesc"])
    described["tables"] = {"Words": [["word", "meaning"], ["3", "rank [count]"], ["4", "first dim"]]}
    console = Console(width=80, markup=False)
    with console.capture() as captured:
        console.print(*page(described), sep="\n")
    lines = [line.rstrip() for line in captured.get().splitlines()]
    start = lines.index("Words")
    assert lines[start : start + 4] == ["Words", "  word  meaning", "  3     rank [count]", "  4     first dim"]


@pytest.mark.parametrize("name", NAMES)
def test_the_json_of_an_operator_is_its_whole_contract(name: str, cannery: Run) -> None:
    shown = json.loads(cannery("ops", "show", name, "--json").out)
    definition = all_operators()[name].definition
    assert [tensor["name"] for tensor in shown["inputs"]] == [param.name for param in definition.inputs]
    assert len(shown["dtype_columns"]) == definition.column_count
    assert [quirk["name"] for quirk in shown["quirks"]] == [quirk.name for quirk in definition.quirks]
    assert {chip["short_name"] for chip in shown["chips"]} == set(definition.socs)
    assert all(chip["aiv_cores"] > 0 for chip in shown["chips"])
    attributes = shown["attributes"] + shown["internal_attributes"]
    assert {attribute["name"] for attribute in attributes} == {attribute.name for attribute in definition.attributes}


@pytest.mark.parametrize("spelling", ["UpdateTensorDesc", "update_tensor_desc", "UpdateTensorDescOperation"])
def test_an_operator_may_be_named_in_any_spelling(spelling: str, cannery: Run) -> None:
    assert cannery("ops", "show", spelling).out.startswith("UpdateTensorDesc (control)\n")


@pytest.mark.parametrize("wrong", ["UpdateTensorDisc", "", "☃"])
def test_an_unknown_operator_is_one_line_and_code_2(wrong: str, cannery: Run) -> None:
    ended = cannery("ops", "show", wrong)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("cannery: operator: found") and ended.err.count("\n") == 1

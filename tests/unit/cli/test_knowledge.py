"""The knowledge pages: what they hold, that they are deterministic and current, and that every link leads somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cannery.cli.docs import pages
from cannery.cli.knowledge import TIERS, Knowledge, every_operator, knowledge, related
from cannery.operator import UnknownOperatorError

Command = Callable[..., Any]

ROOT = Path(__file__).parents[3]
COMMITTED = ROOT / "docs" / "knowledge"
NAMES = [one.operator.name for one in every_operator()]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The pages as they would be committed."""
    return pages(COMMITTED)


def links(text: str) -> list[str]:
    """Relative links of a page; code is left out."""
    prose = re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return re.findall(r"\]\((?!https?:)([^)]+)\)", prose)


def test_the_committed_pages_are_current(made: dict[str, str]) -> None:
    there = {
        path.relative_to(COMMITTED).as_posix(): path.read_text(encoding="utf-8") for path in COMMITTED.rglob("*.md")
    }
    stale = sorted(name for name in {*made, *there} if made.get(name) != there.get(name))
    assert not stale, f"run: cannery ops docs {COMMITTED.relative_to(ROOT)}"


def test_every_link_leads_somewhere(tmp_path: Path, cannery: Command) -> None:
    assert cannery("ops", "docs", str(tmp_path)).out == f"{1 + 2 * len(NAMES)} pages in {tmp_path}\n"
    for base in (tmp_path, COMMITTED):
        for page in base.rglob("*.md"):
            broken = [link for link in links(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
            assert not broken, page


def test_a_page_of_somebody_else_stays(tmp_path: Path, cannery: Command) -> None:
    page = tmp_path / "README.md"
    page.write_text("# Mine\n", encoding="utf-8")
    ended = cannery("ops", "docs", str(tmp_path))
    assert ended.code == 2 and "README.md: found a page that was not generated" in ended.err
    assert page.read_text(encoding="utf-8") == "# Mine\n" and list(tmp_path.iterdir()) == [page]
    page.unlink()
    for _ in range(2):
        assert cannery("ops", "docs", str(tmp_path)).code == 0


def test_pages_are_the_same_each_time_and_fences_are_balanced(made: dict[str, str]) -> None:
    assert made == pages(COMMITTED)
    assert set(made) == {"README.md"} | {
        name
        for one in every_operator()
        for name in (f"routing/{one.name}.md", f"ops/{one.operator.definition.category}/{one.name}/index.md")
    }
    for text in made.values():
        assert text.count("```") % 2 == 0 and text.endswith("\n") and "\n\n\n" not in text and str(ROOT) not in text


@pytest.mark.parametrize("title", ["By category", "By tier", "By entry point"])
def test_the_index_counts_every_operator(title: str, made: dict[str, str]) -> None:
    section = made["README.md"].split(f"## {title}\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"\[(\w+)\]\(", section))
    counts = [int(count) for count in re.findall(r"^\| [\w]+ \((\d+)\)", section, flags=re.MULTILINE)]
    assert listed == set(NAMES) and sum(counts) == len(re.findall(r"\]\(", section))


@pytest.mark.parametrize("name", NAMES)
def test_an_operator_is_described(name: str) -> None:
    one = knowledge(name)
    assert (one.tier, one.minutes) in {(tier, minutes) for tier, _, minutes in TIERS}
    assert one.reading[0].path.name == "README.md" and one.reading[1].path.name == "definition.py"
    assert all(source.focus and source.role for source in one.reading) and len(set(one.reading)) == len(one.reading)
    assert one.folder is not None
    own = [source.path.relative_to(one.folder).as_posix() for source in one.files]
    assert set(own) == {
        path.relative_to(one.folder).as_posix() for path in one.folder.rglob("*") if path.suffix in (".py", ".md")
    }
    assert one.cases and all(file.cases > 0 for file in one.cases) and one.runners
    for _, path, what in [*one.stages, *one.engines]:
        assert path is None or (path.is_file() and what)


def test_related_operators_share_code() -> None:
    known = every_operator()
    pad = next(one for one in known if one.operator.name == "PadWithHiddenState")
    assert "UnpadWithHiddenState" in [other.operator.name for other in related(pad, known)]
    assert pad not in related(pad, known)


def test_route_prints_the_reading_order(monkeypatch: pytest.MonkeyPatch, cannery: Command) -> None:
    monkeypatch.chdir(ROOT)
    lines = cannery("ops", "route", "UpdateTensorDesc").out.splitlines()
    assert lines[0].startswith("UpdateTensorDesc (control, tier S, 3-5 minutes; GE graph node)")
    read = knowledge("UpdateTensorDesc").reading
    assert [Path(line.split()[1]).name for line in lines[2:]] == [source.path.name for source in read]
    found = json.loads(cannery("ops", "route", "update_tensor_desc", "--json").out)
    assert [Path(file["path"]) for file in found["files"]] == [source.path for source in read]


def test_route_of_an_operator_without_a_face_names_no_runner(monkeypatch: pytest.MonkeyPatch, cannery: Command) -> None:
    monkeypatch.setattr(Knowledge, "runners", "")
    assert cannery("ops", "route", "UpdateTensorDesc").out.startswith(
        "UpdateTensorDesc (control, tier S, 3-5 minutes)\n"
    )


def test_an_operator_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownOperatorError):
        knowledge("NoSuchOperator")

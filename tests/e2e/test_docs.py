"""What README and docs/ show is run: every Python block, and the table of operators against the definitions."""

import re
from pathlib import Path

import pytest

from cannery.ops import operators

# Pages activate the substituted packages, and one of them brings the device.
pytestmark = pytest.mark.own_process

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def python_blocks(page: Path) -> list[str]:
    """The page's Python blocks; one that begins with ``# not run`` is an excerpt."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [block for block in blocks if not block.startswith("# not run")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_of_a_page_run_in_order(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in python_blocks(page):
        exec(compile(block, page.name, "exec"), names)


def test_the_table_of_operators_in_the_readme_is_that_of_the_definitions() -> None:
    table = re.search(r"<!-- operators -->\n(.*?)\n<!-- /operators -->", (ROOT / "README.md").read_text(), re.DOTALL)
    assert table is not None
    rows = [
        f"| [{each.name}](src/cannery/ops/{each.definition.snake_name}/README.md) | {each.definition.category} "
        f"| {', '.join(each.engines)} | {', '.join(each.definition.socs)} |"
        for each in sorted(operators(), key=lambda each: each.name)
    ]
    assert table.group(1).splitlines() == ["| operator | category | engines | chips |", "|---|---|---|---|", *rows]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE))
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", prose)
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing

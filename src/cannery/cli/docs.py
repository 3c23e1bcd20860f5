"""``cannery ops docs``: the knowledge pages, from definitions and the files of the package."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from errno import EEXIST
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from cannery.cli.knowledge import Knowledge

INDEX = "README.md"
TITLE = "# Knowledge index"


def docs(directory: Path = typer.Argument(..., metavar="DIR", help="Where the pages go.", show_default=False)) -> None:
    """Write README.md, routing/OPERATOR.md and ops/CATEGORY/OPERATOR/index.md; links lead from there to the sources."""
    _check_place(directory / INDEX)
    written = pages(directory)
    for name, text in written.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    typer.echo(f"{len(written)} pages in {directory}")


def _check_place(index: Path) -> None:
    """Refuse a folder whose README.md is somebody's own.

    Raises:
        FileExistsError: it does not begin as the index of the knowledge pages does.
    """
    if index.is_file() and not index.read_text(encoding="utf-8", errors="replace").startswith(f"{TITLE}\n"):
        found = "found a page that was not generated, expected none, or that of an earlier run"
        raise FileExistsError(EEXIST, found, str(index))


def pages(directory: Path) -> dict[str, str]:
    """Every page by its path below the directory; the same files give the same text."""
    from cannery.cli.entrypoints import spellings
    from cannery.cli.knowledge import every_operator, related

    known = every_operator()
    book = _Book(directory)
    made = {INDEX: book.page("README", INDEX, **_index(known))}
    for one in known:
        made[routing_path(one)] = book.page("routing", routing_path(one), one=one)
        facts = {"related": related(one, known), "spellings": spellings(one.operator)}
        made[entry_path(one)] = book.page("index", entry_path(one), one=one, **facts)
    return made


def routing_path(one: Knowledge) -> str:
    """The page that says what to read."""
    return f"routing/{one.name}.md"


def entry_path(one: Knowledge) -> str:
    """The page that says what there is to know."""
    return f"ops/{one.operator.definition.category}/{one.name}/index.md"


def _index(known: list[Knowledge]) -> dict[str, Any]:
    from cannery.cli.knowledge import REPOSITORY, TIERS
    from cannery.faces import all_faces

    groups = {
        "category": _grouped(known, lambda one: [one.operator.definition.category]),
        "tier": _grouped(known, lambda one: [one.tier]),
        "entry point": _grouped(known, lambda one: list(one.operator.definition.faces)),
    }
    rooms = {face.name: face.folder for face in all_faces().values() if face.runner}
    has_tests = (REPOSITORY / "tests").is_dir()
    return {"known": known, "groups": groups, "rooms": rooms, "tiers": TIERS, "has_tests": has_tests}


def _grouped(known: list[Knowledge], keys: Callable[[Knowledge], list[str]]) -> dict[str, list[Knowledge]]:
    groups: dict[str, list[Knowledge]] = defaultdict(list)
    for one in known:
        for key in keys(one):
            groups[key].append(one)
    return dict(sorted(groups.items()))


class _Book:
    """The templates, and where the pages they fill will lie."""

    def __init__(self, directory: Path) -> None:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        self._root = directory.resolve()
        self._templates = Environment(
            loader=PackageLoader("cannery.cli", "templates/knowledge"),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._templates.filters.update(cell=_cell)
        self._templates.globals.update(short=_short, routing_path=routing_path, entry_path=entry_path)

    def page(self, template: str, path: str, **facts: Any) -> str:
        """A page; ``link`` in its template leads from it to a page (a string) or a file (a path)."""
        here = (self._root / path).parent

        def link(target: Path | str) -> str:
            place = self._root / target if isinstance(target, str) else target
            return Path(os.path.relpath(place, here)).as_posix()

        return self._templates.get_template(f"{template}.md.j2").render(link=link, **facts)


def _short(path: Path) -> str:
    """A file as the reader knows it: below its package's name, or below the tests."""
    from cannery.cli.knowledge import PACKAGE, REPOSITORY

    if path.is_relative_to(REPOSITORY) and not path.is_relative_to(PACKAGE):
        return path.relative_to(REPOSITORY).as_posix()
    packages = [place for place in (path, *path.parents) if (place / "__init__.py").is_file()]
    return path.relative_to(packages[-1].parent if packages else path.parent).as_posix()


def _cell(value: object) -> str:
    """Text that a cell of a table can hold."""
    return " ".join(str(value).split()).replace("|", "\\|")

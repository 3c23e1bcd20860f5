"""What an installed cannery brings along: entry points that load, types, and a pin for each dependency."""

import re
from ast import literal_eval
from importlib.metadata import distribution, requires
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"
EXTRAS = ("", "test")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def _pins(python: str) -> dict[str, str]:
    """Exact version by package name, as the constraints file gives them to that Python."""
    lines = (line.strip() for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines())
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    chosen = [pin for pin in pins if pin.marker is None or pin.marker.evaluate({"python_version": python})]
    names = [canonicalize_name(pin.name) for pin in chosen]
    assert len(names) == len(set(names)), "a package is pinned twice"
    return {name: str(pin.specifier).removeprefix("==") for name, pin in zip(names, chosen, strict=True)}


def _dependencies() -> list[Requirement]:
    """Every direct dependency, those of the extras included."""
    found = map(Requirement, requires("cannery") or ())
    return [item for item in found if item.marker is None or any(item.marker.evaluate({"extra": e}) for e in EXTRAS)]


@pytest.mark.parametrize("python", PYTHONS)
def test_each_direct_dependency_is_pinned_within_its_range(python: str) -> None:
    pins = _pins(python)
    wanted = {canonicalize_name(item.name): item.specifier for item in _dependencies()}
    assert wanted.keys() == pins.keys()
    assert [name for name, allowed in wanted.items() if pins[name] not in allowed] == []


def test_every_entry_point_loads() -> None:
    entry_points = distribution("cannery").entry_points
    assert {(item.group, item.name) for item in entry_points} == {
        ("console_scripts", "cannery"),
        ("cannery.operators", "builtin"),
        ("cannery.pytorch", "indexer_report"),
        ("cannery.pytorch", "row_schedules"),
        ("cannery.pytorch", "save_call"),
        ("pytest11", "cannery"),
    }
    assert all(item.load() for item in entry_points)


def test_the_package_says_that_it_is_typed() -> None:
    assert files("cannery").joinpath("py.typed").is_file()


def test_the_source_archive_holds_what_its_tests_and_pages_read() -> None:
    project = (CONSTRAINTS.parent / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r"\[tool\.hatch\.build\.targets\.sdist\]\ninclude = (\[.*?\])", project, re.DOTALL)
    assert found is not None
    included = set(literal_eval(found[1]))
    assert {"/src", "/tests", "/docs", "/examples", "/benchmarks", "/README.md", "/constraints.txt"} <= included
    assert [name for name in included if not (CONSTRAINTS.parent / name[1:]).exists()] == []

"""What every tier of tests shares: programs a user's machine may lack, and one hypothesis profile."""

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch  # noqa: F401 - first: imported behind `cannery.activate` it brings the npu device, for good
from hypothesis import settings

# A program may go by several names; a test asks for the first.
SPELLINGS = {
    "g++": ("g++", "c++"),
    "chromium": ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
}

# No deadline: a busy machine must not fail a test. CI draws the same examples in every run.
settings.register_profile("cannery", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("cannery")


def find_tool(name: str) -> str | None:
    """Path of the program, under any name it goes by, or None."""
    return next(filter(None, map(shutil.which, SPELLINGS.get(name, (name,)))), None)


def require_tool(name: str) -> str:
    """Path of the program; without one the test is skipped by name, or fails when CANNERY_REQUIRE_TOOLS=1."""
    path = find_tool(name)
    if path is not None:
        return path
    if os.environ.get("CANNERY_REQUIRE_TOOLS") == "1":
        pytest.fail(f"{name} is not installed, and CANNERY_REQUIRE_TOOLS=1 wants it: install it", pytrace=False)
    pytest.skip(f"needs {name}, which is not installed")


@pytest.fixture(name="require_tool", scope="session")
def _require_tool() -> Callable[[str], str]:
    """`require_tool("g++")` in a test gives the program's path; see also the marker `tool`."""
    return require_tool


@pytest.fixture(autouse=True)
def _own_settings() -> Iterator[None]:
    """A chip that a program chooses for its process (``config.set_platform``) is forgotten with the test."""
    from cannery.settings import process_scope

    with process_scope():
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Honour `@pytest.mark.tool("g++", "chromium")`."""
    for mark in item.iter_markers("tool"):
        for name in mark.args:
            require_tool(name)


# Set in the process that runs a file marked `own_process`: where it writes outcomes.
OUTCOMES = "CANNERY_TEST_OUTCOMES"


def pytest_configure(config: pytest.Config) -> None:
    """Declare what this file honours."""
    config.addinivalue_line("markers", "own_process: changes the process for good; its file runs in one of its own")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Replace every test marked `own_process` by one that reports its outcome elsewhere."""
    if OUTCOMES in os.environ:
        return
    chosen: dict[Path, list[str]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("own_process"):
            chosen[item.path].append(item.nodeid)
    for place, item in enumerate(items):
        if item.parent is not None and item.nodeid in chosen.get(item.path, ()):
            items[place] = Elsewhere.from_parent(item.parent, name=item.name, chosen=tuple(chosen[item.path]))


class Elsewhere(pytest.Item):
    """A test that runs in the process of its file."""

    def __init__(self, *, chosen: tuple[str, ...], **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.chosen = chosen

    def runtest(self) -> None:
        """Pass on the outcome."""
        outcome, text = outcomes(self.config.rootpath, self.chosen).get(self.nodeid, ("missing", "it was not run"))
        if outcome == "skipped":
            pytest.skip(text)
        if outcome != "passed":
            pytest.fail(text, pytrace=False)


@cache
def outcomes(root: Path, tests: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Outcome and text of each of the tests, from a process that runs nothing else."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes"
        command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-q", *tests]
        run = subprocess.run(
            command, cwd=root, env={**os.environ, OUTCOMES: str(path)}, capture_output=True, text=True, check=False
        )
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = {name: (outcome, text) for name, outcome, text in map(json.loads, lines)}
    output = run.stdout[-4000:] + run.stderr[-4000:]
    return {name: found.get(name, ("missing", f"the process ended with {run.returncode}\n{output}")) for name in tests}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In such a process: write a test's outcome when its call ends, or when something before or after it failed."""
    if OUTCOMES in os.environ and (report.when == "call" or report.outcome != "passed"):
        with open(os.environ[OUTCOMES], "a", encoding="utf-8") as file:
            print(json.dumps([report.nodeid, report.outcome, report.longreprtext]), file=file)

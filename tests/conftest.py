"""What every tier of tests shares: programs a user's machine may lack, and one hypothesis profile."""

import os
import shutil
from collections.abc import Callable

import pytest
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


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Honour `@pytest.mark.tool("g++", "chromium")`."""
    for mark in item.iter_markers("tool"):
        for name in mark.args:
            require_tool(name)

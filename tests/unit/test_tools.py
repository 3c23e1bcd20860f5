"""A program that is not installed skips a test by its name, or fails it where the tools are required."""

from collections.abc import Callable

import pytest

ABSENT = "a-program-nobody-has"


def test_a_missing_program_skips_by_name(require_tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANNERY_REQUIRE_TOOLS", raising=False)
    with pytest.raises(pytest.skip.Exception, match=ABSENT):
        require_tool(ABSENT)


def test_a_missing_program_fails_where_tools_are_required(
    require_tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANNERY_REQUIRE_TOOLS", "1")
    with pytest.raises(pytest.fail.Exception, match=ABSENT):
        require_tool(ABSENT)


def test_a_program_that_is_there_is_given_by_path(require_tool: Callable[[str], str]) -> None:
    assert require_tool("sh").endswith("/sh")


@pytest.mark.tool("sh")
def test_the_marker_lets_a_test_run_where_its_program_is() -> None:
    pass

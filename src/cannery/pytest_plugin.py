"""``pytest --cannery-check``: the NPU stack's packages resolve to this one's, and a test whose launches have error
findings fails.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("cannery")
    group.addoption("--cannery-check", action="store_true", help="check kernel launches; error findings fail the test")
    group.addoption("--cannery-seed", type=int, default=None, metavar="N", help="draw the lazy order from N")
    group.addoption("--cannery-soc", default=None, metavar="NAME", help="the chip, whatever the test sets")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Substitute before the first conftest imports anything."""
    if early_config.known_args_namespace.cannery_check:
        from cannery.activate import activate, installed

        if installed() is None:
            activate()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Run a test in a session of its own; a test that passed with error findings fails."""
    if not item.config.getoption("--cannery-check"):
        yield
        return
    from cannery.watch import errors, process_session, report

    options = {"seed": item.config.getoption("--cannery-seed"), "soc": item.config.getoption("--cannery-soc")}
    with ExitStack() as stack:
        found = stack.enter_context(process_session(check=True, **options))
        outcome = yield
    findings = found.findings()
    if findings:
        item.add_report_section("call", "cannery", "\n".join(report.render(finding) for finding in findings))
    if errors(findings) and outcome.excinfo is None:
        text = "\n".join(report.render(finding) for finding in errors(findings))
        outcome.force_exception(pytest.fail.Exception(text, pytrace=False))

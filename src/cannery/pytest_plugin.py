"""``pytest --cannery-check``: the NPU stack's packages resolve to this one's, and a test whose launches have error
findings fails.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest

_IS_CHECKED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("cannery")
    group.addoption("--cannery-check", action="store_true", help="check kernel launches; error findings fail the test")
    group.addoption("--cannery-seed", type=int, default=None, metavar="N", help="draw the lazy order from N")
    group.addoption("--cannery-soc", default=None, metavar="NAME", help="the chip, whatever the test sets")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Set chip and seed for the whole run; substitute before the first conftest imports anything."""
    early_config.stash[_IS_CHECKED] = _has_said(early_config) and _set(early_config)
    if early_config.stash[_IS_CHECKED]:
        from cannery.activate import activate, installed

        if installed() is None:
            activate()


def _has_said(config: pytest.Config) -> bool:
    """Whether an option is given, or the environment may ask for checks."""
    options = config.known_args_namespace
    is_set = (options.cannery_seed, options.cannery_soc) != (None, None)
    return bool(options.cannery_check) or is_set or "CANNERY_CHECK" in os.environ


def _set(config: pytest.Config) -> bool:
    """Set what the options say until the run ends. Returns whether launches are checked.

    Raises:
        pytest.UsageError: an option or a variable has a value that it cannot have.
    """
    from cannery.settings import current_settings, process_scope

    options, stack = config.known_args_namespace, ExitStack()
    config.add_cleanup(stack.close)
    try:
        stack.enter_context(process_scope(seed=options.cannery_seed, soc=options.cannery_soc))
        return current_settings().check or bool(options.cannery_check)
    except ValueError as failure:
        raise pytest.UsageError(re.sub("^--", "--cannery-", str(failure))) from None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Run a test in a session of its own; a test that passed with error findings fails."""
    if not item.config.stash.get(_IS_CHECKED, False):
        yield
        return
    from cannery.watch import errors, process_session, report

    with process_session(check=True) as found:
        outcome = yield
    findings = found.findings()
    if findings:
        item.add_report_section("call", "cannery", "\n".join(report.render(finding) for finding in findings))
    if errors(findings) and outcome.excinfo is None:
        text = "\n".join(report.render(finding) for finding in errors(findings))
        outcome.force_exception(pytest.fail.Exception(text, pytrace=False))

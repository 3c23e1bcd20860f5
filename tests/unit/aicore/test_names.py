"""Names that programs import from ``cannery.aicore``, where they used to be."""

import subprocess
import sys

import pytest

from cannery import aicore, watch


@pytest.mark.parametrize("name", ["Finding", "LaunchRecord", "Session", "current", "errors", "report", "session"])
def test_an_old_name_is_the_one_of_watch(name: str) -> None:
    assert getattr(aicore, name) is getattr(watch, name)


def test_an_old_name_can_be_the_first_thing_imported() -> None:
    program = "from cannery.aicore import DeadlockError, errors, report, session; print(session.__module__)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "cannery.watch.session"


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = aicore.nothing

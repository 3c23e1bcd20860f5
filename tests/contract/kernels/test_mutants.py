"""Every sync statement of every shipped kernel dropped, moved or renumbered: caught, and nothing else is."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[3] / "benchmarks/mutants.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("mutants", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


mutants = load()


@pytest.fixture(autouse=True)
def _own_modules() -> Iterator[None]:
    before = dict(sys.modules)
    yield
    assert {name for name in before if name.startswith("cannery.ops")} <= set(sys.modules)


@pytest.mark.parametrize("target", mutants.TARGETS, ids=lambda target: target.name)
def test_mutants_that_change_the_order_are_caught_and_no_others(target: Any) -> None:
    original, verdicts = mutants.score(target)
    assert original.findings() == []
    changed = [verdict for verdict in verdicts if verdict.changed]
    assert len(changed) >= 3
    survivors = [verdict.mutant.what for verdict in changed if not verdict.caught]
    assert len(survivors) <= 0.03 * len(changed), survivors
    assert [verdict.mutant.what for verdict in verdicts if verdict.alarmed] == []

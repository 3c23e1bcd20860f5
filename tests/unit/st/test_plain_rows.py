"""Rows and what they gave are plain: they go to another process and come back as they were."""

import copy
import multiprocessing
import pickle
from collections.abc import Iterator
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import pytest

import cannery
from cannery import asc
from cannery.st import Case, Options, load_cases, run_case, run_cases
from cannery.st.result import result_cells
from cannery.watch import session

FILES = sorted((Path(cannery.__file__).parent / "ops").glob("*/cases/*.csv"))
OWN = """
class ScaleBiasTestSpec:
    def golden(x, bias=None, *, factor=2.0, **kwargs):
        return [x * factor]

    def compare(*arrays):
        return {"pass": True, "precision": 99.5, "metrics": {"worst": arrays[0].max(), "at": cat}}

def cat():
    pass
"""


@asc.jit
def beyond(x: Any) -> None:
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(x)
    asc.data_copy(asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64), tensor, 64)


def sent(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.fixture(scope="module")
def worker() -> Iterator[Pool]:
    """A process that shares nothing with this one."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_row_of_the_shipped_files_is_pickled(path: Path) -> None:
    file = load_cases(path)
    # By their text: a bound that is nan is not equal to itself.
    assert repr(sent(file)) == repr(file)
    assert all(ours.operator is theirs.operator for ours, theirs in zip(file.cases, sent(file).cases, strict=True))


def test_every_row_goes_to_a_spawned_process_and_back(worker: Pool) -> None:
    cases = [case for path in FILES for case in load_cases(path).cases]
    assert {case.standard.name for case in cases} == {"TTK", "ATB"}
    assert list(map(repr, worker.map(copy.copy, cases))) == list(map(repr, cases))


def test_a_spawned_process_gives_the_same_results(worker: Pool) -> None:
    cases = [load_cases(path).cases[0] for path in FILES]
    here = [result_cells(run_case(case)) for case in cases]
    assert [result_cells(result) for result in worker.map(run_case, cases)] == here


def test_a_result_with_verdicts_and_findings_is_pickled(lab: Any) -> None:
    case = next(case for path in FILES if "unpad" in path.stem for case in load_cases(path).cases)
    (result,) = run_cases([case], Options(engine="aicore"))
    assert result.verdicts and sent(result) == result
    (own,) = lab.run(lab.ttk({}), OWN)
    assert sent(own.verdicts) == own.verdicts
    assert own.verdicts[0].metrics.keys() == {"worst", "at"}


def test_findings_are_pickled(lab: Any) -> None:
    def launch(context: Any, tiling: Any, inputs: Any, outputs: Any) -> Any:
        x = inputs[0].numpy().reshape(-1)
        with session(check=True) as found:
            beyond[1](x)
        return found.findings()

    (result,) = lab.run(lab.with_engine(lab.ttk({}), launch))
    assert [finding.kind for finding in result.findings] == ["OOB"]
    assert sent(result.findings) == result.findings


def test_an_operator_that_is_not_registered_is_not_pickled(lab: Any) -> None:
    case: Case = lab.ttk({}).cases[0]
    with pytest.raises(pickle.PicklingError, match="operator ScaleBias: found one that is not registered"):
        sent(case)

"""Prints, as JSON, all that the checker has to say of every kernel here, and whether compiled parts said it."""

import json
import sys
from typing import Any

import numpy as np

import cannery.watch.judge
from cannery.activate import activate
from cannery.aicore import DeadlockError
from cannery.compiled import is_compiled
from cannery.watch import session

from . import kernels as k
from .test_findings import CASES, DEADLOCKS, arguments, launch
from .test_programs import FILES, run


def deadlocked(kernel: Any, rest: Any, cores: int) -> list[Any]:
    """What is said, and the findings, where the kernel cannot go on."""
    with session(check=True) as found:
        try:
            kernel[cores](np.ones(4 * k.N, np.float32), *arguments(rest))
        except DeadlockError as failure:
            return [str(failure), [finding.as_dict() for finding in found.findings()]]
    return []


def main() -> None:
    """Run everything; standard output has only the JSON."""
    out, sys.stdout = sys.stdout, sys.stderr
    said: dict[str, Any] = {"compiled": is_compiled(cannery.watch.judge)}
    for at, (kernel, rest, cores, _) in enumerate(CASES):
        said[f"{kernel.__name__} {at}"] = [finding.as_dict() for finding in launch(kernel, rest, cores)]
    for at, (kernel, rest, cores, _) in enumerate(DEADLOCKS):
        said[f"{kernel.__name__} deadlock {at}"] = deadlocked(kernel, rest, cores)
    activate()
    for path in FILES:
        said[str(path)] = [finding.as_dict() for finding in run(path, check=True, seed=0)]
    json.dump(said, out)


if __name__ == "__main__":
    main()

"""Findings as text and JSON."""

import json
from pathlib import Path

import numpy as np

from cannery import asc
from cannery.aicore.instruction import Site
from cannery.watch import Finding, report, session


def finding(**changes: object) -> Finding:
    fields: dict[str, object] = {
        "kind": "RAW", "severity": "error", "code": "ErrorSync2", "memory": "UB", "pipes": ("V", "MTE3"),
        "message": "====== ERROR: Potential RAW hazard\n======    PIPE_V Write\n======    #0 k.py:1", "count": 3,
        "locations": (Site("k.py", 1), Site("k.py", 3)), "kernel": "k", "core": 0, "hint": "add a flag",
    }  # fmt: skip
    return Finding(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_race_reads_like_a_compilers_error(tmp_path: Path) -> None:
    source = tmp_path / "k.py"
    source.write_text("first\nsecond\nthird\n")
    text = report.render(finding(locations=(Site(str(source), 1), Site(str(source), 3))))
    assert text.splitlines() == [
        f"{source}:3: error: RAW on UB, V -> MTE3 in k (3 times) [ErrorSync2]",
        "  PIPE_V Write",
        "  1 | first",
        "  3 | third",
        "  help: add a flag",
    ]


def test_a_finding_without_a_place() -> None:
    bare = finding(kind="LEAK", severity="warning", code="", memory="", pipes=(), locations=(), count=1, hint="")
    assert report.render(bare).splitlines()[0] == "warning: LEAK in k"


def test_a_summary_counts() -> None:
    found = [finding(), finding(severity="warning"), finding(severity="warning")]
    assert report.summary(found, 1) == "1 error, 2 warnings in 1 launch"
    assert report.summary([], 2) == "no findings in 2 launches"


@asc.jit
def racing(x: asc.GlobalAddress) -> None:
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    for _ in range(5):
        asc.data_copy(t, gm, 64)
        asc.adds(t, t, 1.0, 64)


def test_json_is_ordered_and_has_no_addresses() -> None:
    texts = []
    for _ in range(2):
        with session(check=True) as found:
            racing[3](np.zeros(64, np.float32))
        texts.append(json.dumps(report.as_json(found)))
        assert [(f.kind, f.count) for f in found.findings()] == [("RAW", 15), ("WAW", 12)]
    assert texts[0] == texts[1]


def test_json_has_the_hint() -> None:
    assert finding().as_dict()["hint"] == "add a flag"

"""The JUnit report of a campaign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from cannery.st.result import FAIL, CaseResult

# Characters that XML 1.0 cannot hold, not even escaped.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(files: Sequence[Path], results: Sequence[CaseResult]) -> str:
    """One suite a file, one test case a row. It holds no times: the same run gives the same bytes."""
    root = ElementTree.Element("testsuites", _counts(results))
    for file in files:
        own = [result for result in results if result.case.file == file]
        suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(str(file)), **_counts(own)})
        for result in own:
            _add(suite, result)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _counts(results: Sequence[CaseResult]) -> dict[str, str]:
    failures = sum(_kind(result) == "failure" for result in results)
    errors = sum(_kind(result) == "error" for result in results)
    skipped = sum(result.is_skipped for result in results)
    return {"tests": str(len(results)), "failures": str(failures), "errors": str(errors), "skipped": str(skipped)}


def _kind(result: CaseResult) -> str:
    """A failure is an answer that differs; an error is a row that gave none."""
    if not result.has_failed:
        return "skipped" if result.is_skipped else ""
    return "failure" if result.status == FAIL else "error"


def _add(suite: ElementTree.Element, result: CaseResult) -> None:
    names = {"classname": result.case.operator_name, "name": _clean(result.case.name)}
    case = ElementTree.SubElement(suite, "testcase", names)
    kind = _kind(result)
    if kind == "skipped":
        ElementTree.SubElement(case, kind, {"message": _clean(result.log or result.status)})
    elif kind:
        facts = {"type": _clean(result.status), "message": _clean(result.log or result.status)}
        text = f"row {result.case.row} of {result.case.file}\n{result.traceback}".rstrip()
        ElementTree.SubElement(case, kind, facts).text = _clean(text)


def _clean(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)

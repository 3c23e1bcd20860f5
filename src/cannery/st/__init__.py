"""System tests from case files: rows of operators' own files, run here and judged by their goldens."""

from cannery.st.case import Case, CaseFile, CaseFileError, Expectation, RefusedRow
from cannery.st.files import find_case_files, load_cases, read_cases, select
from cannery.st.partial import PartialResults
from cannery.st.places import plan_results, write_atomically
from cannery.st.report import junit_xml
from cannery.st.result import CaseResult, tables, write_results
from cannery.st.runner import OptionError, Options, run_case, run_cases
from cannery.st.spec import SpecError, TestSpec, load_spec

__all__ = [
    "Case",
    "CaseFile",
    "CaseFileError",
    "CaseResult",
    "Expectation",
    "OptionError",
    "Options",
    "PartialResults",
    "RefusedRow",
    "SpecError",
    "TestSpec",
    "find_case_files",
    "junit_xml",
    "load_cases",
    "load_spec",
    "plan_results",
    "read_cases",
    "run_case",
    "run_cases",
    "select",
    "tables",
    "write_atomically",
    "write_results",
]

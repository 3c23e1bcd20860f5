"""Who looks at a launch: the checker, the graph of everything issued, and what a session gathers of them.

A watcher is whatever has the methods of ``Watcher``; a launch has any number of them, none special. Rules and their
texts are one table; the words of a kernel language come from its ``Spelling``.
"""

from cannery.aicore.core import Watcher
from cannery.aicore.records import Record
from cannery.watch import report
from cannery.watch.checker import Checker
from cannery.watch.findings import Collector, Finding, errors
from cannery.watch.order import Trace
from cannery.watch.rules import RULES, Rule
from cannery.watch.session import LaunchRecord, Session, current, process_session, session
from cannery.watch.spelling import Spelling

__all__ = [
    "RULES", "Checker", "Collector", "Finding", "LaunchRecord", "Record", "Rule", "Session", "Spelling", "Trace",
    "Watcher", "current", "errors", "process_session", "report", "session",
]  # fmt: skip

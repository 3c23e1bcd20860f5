"""The virtual AI core: memories, pipes, events, clocks, hazards.

A launch is a set of cores; a core issues instructions to pipes; instructions are frozen records with an effect. Checks
watch what is issued and return findings. Nothing here knows how a kernel is spelled.
"""

from cannery.aicore.errors import DeadlockError, KernelError
from cannery.aicore.findings import Finding, errors
from cannery.aicore.session import LaunchRecord, Session, current, session

__all__ = ["DeadlockError", "Finding", "KernelError", "LaunchRecord", "Session", "current", "errors", "session"]

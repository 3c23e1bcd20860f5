"""The virtual device: memory of its own, contexts, streams that defer their work, events, limits."""

from cannery.runtime.call import Call
from cannery.runtime.calls import CALLS
from cannery.runtime.options import Options
from cannery.runtime.process import Process, process
from cannery.runtime.status import AclError, RuntimeFault
from cannery.runtime.stream import Stream

__all__ = ["CALLS", "AclError", "Call", "Options", "Process", "RuntimeFault", "Stream", "process"]

"""``asc.language.fwk.tpipe``: pipes, queues, buffers."""

from cannery.asc.queues import TBuf, TQue, TQueBind
from cannery.asc.tpipe import TBufPool, TPipe, get_tpipe_ptr

__all__ = ["TBuf", "TBufPool", "TPipe", "TQue", "TQueBind", "get_tpipe_ptr"]

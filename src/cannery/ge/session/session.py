"""``ge.session.Session``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from cannery.core import GeStatus
from cannery.core import Tensor as CoreTensor
from cannery.ge._engine.compile import Machine, Plan, compile_graph
from cannery.ge._engine.execute import Run, Tilings, prepare
from cannery.ge._engine.instance import instance
from cannery.ge._engine.model import GraphModel, invalid
from cannery.ge._engine.options import GRAPH, SESSION, check_options
from cannery.ge.error import CALL_SEQUENCE, GeError, calling
from cannery.ge.graph.graph import Graph
from cannery.ge.graph.tensor import Tensor
from cannery.runtime import AclError, RuntimeFault, Stream, process

__all__ = ["Session"]

MAX_GRAPH_ID = 2**32 - 1


@dataclass(eq=False)
class _Added:
    """A graph of a session.

    Attributes:
        plan: what compilation made of it; None before the first run.
        style: the function it is run with; the styles exclude each other.
        pending: runs that a stream has not done yet, or that another thread is doing.
    """

    graph: GraphModel
    options: dict[str, str]
    plan: tuple[Plan, Tilings] | None = None
    style: str = ""
    pending: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)


class Session:
    """A session of an initialised GE. Source: hicann/ge `api/python/ge/ge/session/session.py` @ffdcbc9f.

    Args:
        options: session options.

    Raises:
        TypeError: options that are no dict of strings.
        GeError: GE_CLI_GE_NOT_INITIALIZED; GE_CLI_SESS_CONSTRUCT_FAILED: an option that is refused.
    """

    def __init__(self, options: dict[str, str] | None = None) -> None:
        with calling("Session"):
            inherited = instance().options()
            self._options = check_options(SESSION, {} if options is None else options, inherited)
        self._generation = instance().generation
        self._graphs: dict[int, _Added] = {}

    def add_graph(
        self,
        graph_id: int,
        add_graph: Graph | None = None,
        options: dict[str, str] | None = None,
        *,
        graph: Graph | None = None,
    ) -> int:
        """Take a graph under an id. It is compiled when it first runs, which changes its descriptors.

        Args:
            add_graph: the graph; the documentation calls the parameter ``graph``, the code ``add_graph``.
            options: graph options.

        Returns:
            0.

        Raises:
            TypeError: no graph, or an id that is no integer.
            GeError: GE_GRAPH_GRAPH_ALREADY_EXIST: the first graph stays; GE_CLI_SESS_ADD_FAILED: a graph without nodes,
                or an option that is refused; GE_CLI_GE_NOT_INITIALIZED.
        """
        given = graph if add_graph is None else add_graph
        if not isinstance(given, Graph):
            raise TypeError(f"add_graph: found {type(given).__name__}, expected a Graph")
        with _calling("add_graph", graph_id):
            self._require_initialized()
            if graph_id in self._graphs:
                message = f"found a graph of id {graph_id}, which stays; expected another id, or remove_graph first"
                raise GeError(message, code=GeStatus.GE_GRAPH_GRAPH_ALREADY_EXIST)
            if not given.model.nodes:
                raise GeError(f"graph {given.name!r}: found no nodes", code=GeStatus.GE_CLI_SESS_ADD_FAILED)
            chosen = check_options(GRAPH, {} if options is None else options, self._options)
            self._graphs[graph_id] = _Added(given.model, chosen)
        return 0

    def remove_graph(self, graph_id: int) -> int:
        """Forget a graph.

        Returns:
            0.

        Raises:
            GeError: GE_GRAPH_GRAPH_NOT_EXIST; GE_GRAPH_GRAPH_IS_RUNNING: a run is not done yet.
        """
        with _calling("remove_graph", graph_id):
            if self._find(graph_id).pending:
                message = f"graph {graph_id}: found a run that is not done, expected its stream to be synchronized"
                raise GeError(message, code=GeStatus.GE_GRAPH_GRAPH_IS_RUNNING)
            del self._graphs[graph_id]
        return 0

    def run_graph(self, graph_id: int, inputs: list[Tensor]) -> list[Tensor]:
        """Compile when it is the first run, then run.

        Args:
            inputs: one tensor of each data node, by its index.

        Returns:
            The declared outputs in order, in memory that held 0 before.

        Raises:
            TypeError: inputs that are no list of tensors.
            GeError: GE_GRAPH_GRAPH_NOT_EXIST; at compilation GE_GRAPH_PREPARE_FAILED, GE_GRAPH_INFERSHAPE_FAILED,
                GRAPH_MUL_OVERFLOW, GRAPH_PARAM_OUT_OF_RANGE; of the inputs GRAPH_PARAM_INVALID; of the run itself
                GE_CLI_SESS_RUN_FAILED; FAILED with E10062 when the graph was run in the other style before.
        """
        with _calling("run_graph", graph_id):
            added = self._find(graph_id)
            with added.lock:
                run = self._prepare(graph_id, "run_graph", inputs)
                added.pending += 1
                try:
                    run.launch()
                finally:
                    added.pending -= 1
        return [Tensor.of(tensor) for tensor in run.outputs]

    def run_graph_with_stream_async(self, graph_id: int, stream: Any, inputs: list[Tensor]) -> list[Tensor]:
        """As ``run_graph``, but the work waits in a stream: the outputs hold 0 until it is synchronised.

        Args:
            stream: what ``acl.rt.create_stream`` returned; 0 or None is the default stream of the current context, and
                without a context the work is done at once.

        Raises:
            GeError: as ``run_graph``; GRAPH_PARAM_INVALID: no such stream. What fails in the stream is reported by its
                synchronisation.
        """
        with _calling("run_graph_with_stream_async", graph_id):
            queue, added = _stream(stream), self._find(graph_id)
            with added.lock:
                run = self._prepare(graph_id, "run_graph_with_stream_async", inputs)
                added.pending += 1
            _submit(queue, run, added)
        return [Tensor.of(tensor) for tensor in run.outputs]

    def register_external_allocator(self, stream: Any, allocator: Any) -> NoReturn:
        """Not offered: graphs take host memory."""
        raise NotImplementedError("ge.session.Session.register_external_allocator: cannery has no device allocators")

    def unregister_external_allocator(self, stream: Any) -> NoReturn:
        """Not offered."""
        raise NotImplementedError("ge.session.Session.unregister_external_allocator: cannery has no device allocators")

    def _prepare(self, graph_id: int, style: str, inputs: Any) -> Run:
        added, tensors = self._find(graph_id), _tensors(inputs)
        if added.style not in ("", style):
            message = f"graph {graph_id}: found {style} after {added.style}, expected one of them for a graph"
            raise GeError(message, text_code=CALL_SEQUENCE)
        if added.plan is None:
            plan = compile_graph(added.graph, Machine.of(added.options))
            added.plan = plan, Tilings(plan)
        run = prepare(added.plan[0], tensors, added.plan[1])
        added.style = style
        return run

    def _find(self, graph_id: int) -> _Added:
        self._require_initialized()
        if graph_id not in self._graphs:
            have = ", ".join(map(str, self._graphs)) or "none"
            message = f"found graph id {graph_id}, expected one that was added ({have})"
            raise GeError(message, code=GeStatus.GE_GRAPH_GRAPH_NOT_EXIST)
        return self._graphs[graph_id]

    def _require_initialized(self) -> None:
        instance().options(self._generation)

    def __copy__(self) -> NoReturn:
        raise RuntimeError("Session: it cannot be copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()


@contextmanager
def _calling(name: str, graph_id: object) -> Iterator[None]:
    with calling(f"Session.{name}", graph=graph_id):
        if isinstance(graph_id, bool) or not isinstance(graph_id, int):
            raise TypeError(f"graph_id: found {graph_id!r}, expected an integer")
        if not 0 <= graph_id <= MAX_GRAPH_ID:
            raise invalid(f"graph_id: found {graph_id}, expected 0 to {MAX_GRAPH_ID}")
        yield


def _tensors(inputs: Any) -> list[CoreTensor]:
    if not isinstance(inputs, list) or not all(isinstance(tensor, Tensor) for tensor in inputs):
        raise TypeError(f"inputs: found {inputs!r:.80}, expected a list of Tensor")
    empty = next((index for index, tensor in enumerate(inputs) if tensor.core is None), None)
    if empty is not None:
        raise invalid(f"inputs[{empty}]: found a tensor without data")
    return [tensor.core for tensor in inputs]


def _stream(stream: Any) -> Stream | None:
    if isinstance(stream, Stream):
        return stream
    handle = 0 if stream is None else stream
    if not isinstance(handle, int):
        raise TypeError(f"stream: found {type(stream).__name__}, expected what acl.rt.create_stream returned")
    try:
        return process().stream(handle)
    except RuntimeFault as fault:
        if handle == 0 and fault.code is AclError.ACL_ERROR_RT_CONTEXT_NULL:
            return None
        raise invalid(f"stream: {fault.message}") from fault


def _submit(queue: Stream | None, run: Run, added: _Added) -> None:
    def task() -> None:
        try:
            run.launch()
        finally:
            added.pending -= 1

    def task_of_a_stream() -> None:
        try:
            task()
        except GeError as refusal:
            code, found = AclError.ACL_ERROR_RT_AICORE_EXCEPTION, refusal.error_message
            raise RuntimeFault(code, "graph", found, "a run that operators accept") from refusal

    if queue is None:
        task()
    else:
        queue.submit(task_of_a_stream)

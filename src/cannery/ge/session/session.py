"""``ge.session.Session``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from cannery.core import GeStatus
from cannery.core import Tensor as CoreTensor
from cannery.ge._engine.arguments import NotCopied, require, wrong
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


class Session(NotCopied):
    """A session of an initialised GE. Source: hicann/ge `api/python/ge/ge/session/session.py` @ffdcbc9f.

    One that is made before GE is initialised is of no use: its first call is refused, as in the original
    (`api/session/client/ge_api_v2.cc`).

    Args:
        options: session options.

    Raises:
        TypeError: options that are no dict of strings.
        GeError: GE_CLI_SESS_CONSTRUCT_FAILED: an option that is refused.
    """

    def __init__(self, options: dict[str, str] | None = None) -> None:
        given = {} if options is None else require(options, dict, "option")
        with calling("CreateSession"):
            self._options = check_options(SESSION, given, instance().inherited())
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
            GeError: GE_GRAPH_GRAPH_ALREADY_EXIST: the first graph stays; GE_CLI_SESS_ADD_FAILED: a graph without nodes
                or outputs, or an option that is refused; GE_CLI_GE_NOT_INITIALIZED.
        """
        with _calling("AddGraph", graph_id):
            given: Graph = require(graph if add_graph is None else add_graph, Graph, "Add_graph")
            chosen = {} if options is None else require(options, dict, "options")
            self._require_initialized()
            if graph_id in self._graphs:
                message = f"found a graph of id {graph_id}, which stays; expected another id, or remove_graph first"
                raise GeError(message, code=GeStatus.GE_GRAPH_GRAPH_ALREADY_EXIST)
            if not given.model.nodes:
                raise GeError(f"graph {given.name!r}: found no nodes", code=GeStatus.GE_CLI_SESS_ADD_FAILED)
            if not given.model.outputs:
                message = f"graph {given.name!r}: found no outputs, expected set_graph_output or build_and_reset([…])"
                raise GeError(message, code=GeStatus.GE_CLI_SESS_ADD_FAILED)
            self._graphs[graph_id] = _Added(given.model, check_options(GRAPH, chosen, self._options))
        return 0

    def remove_graph(self, graph_id: int) -> int:
        """Forget a graph.

        Returns:
            0.

        Raises:
            GeError: GE_GRAPH_GRAPH_NOT_EXIST; GE_GRAPH_GRAPH_IS_RUNNING: a run is not done yet.
        """
        with _calling("RemoveGraph", graph_id):
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
        with _calling("RunGraph", graph_id):
            tensors, added = _tensors(inputs), self._find(graph_id)
            with added.lock:
                run = self._prepare(graph_id, "run_graph", tensors)
                added.pending += 1
                try:
                    run.launch()
                finally:
                    added.pending -= 1
        return [Tensor.of(tensor) for tensor in run.outputs]

    def run_graph_with_stream_async(self, graph_id: int, stream: Any, inputs: list[Tensor]) -> list[Tensor]:
        """As ``run_graph``, but the work waits in a stream: the outputs hold 0 until it is synchronised.

        Args:
            stream: what ``acl.rt.create_stream`` returned; 0 is the default stream of the current context, and
                without a context the work is done at once.

        Raises:
            GeError: as ``run_graph``; GRAPH_PARAM_INVALID: no such stream. What fails in the stream is reported by its
                synchronisation.
        """
        with _calling("RunGraphWithStreamAsync", graph_id):
            handle, tensors = _handle(stream), _tensors(inputs)
            queue, added = _stream(handle), self._find(graph_id)
            with added.lock:
                run = self._prepare(graph_id, "run_graph_with_stream_async", tensors)
                added.pending += 1
            _submit(queue, run, added)
        return [Tensor.of(tensor) for tensor in run.outputs]

    def register_external_allocator(self, stream: Any, allocator: Any) -> NoReturn:
        """Not offered: graphs take host memory.

        Raises:
            TypeError: no stream; NotImplementedError: any other call.
        """
        require(stream, int, "stream")
        raise NotImplementedError("ge.session.Session.register_external_allocator: cannery has no device allocators")

    def unregister_external_allocator(self, stream: Any) -> NoReturn:
        """Not offered; raises as ``register_external_allocator``."""
        require(stream, int, "stream")
        raise NotImplementedError("ge.session.Session.unregister_external_allocator: cannery has no device allocators")

    def _prepare(self, graph_id: int, style: str, tensors: list[Tensor]) -> Run:
        added = self._find(graph_id)
        if added.style not in ("", style):
            message = f"graph {graph_id}: found {style} after {added.style}, expected one of them for a graph"
            raise GeError(message, text_code=CALL_SEQUENCE)
        if added.plan is None:
            plan = compile_graph(added.graph, Machine.of(added.options))
            added.plan = plan, Tilings(plan)
        run = prepare(added.plan[0], _with_data(tensors), added.plan[1])
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


@contextmanager
def _calling(name: str, graph_id: Any) -> Iterator[None]:
    with calling(name, graph_id=graph_id):
        require(graph_id, int, "Graph_id")
        if not 0 <= graph_id <= MAX_GRAPH_ID:
            raise invalid(f"graph_id: found {graph_id}, expected 0 to {MAX_GRAPH_ID}")
        yield


def _tensors(inputs: Any) -> list[Tensor]:
    if not isinstance(inputs, list):
        raise wrong("inputs must be a list of Tensor", inputs)
    if not all(isinstance(tensor, Tensor) for tensor in inputs):
        raise wrong("All elements in inputs must be the type of Tensor", inputs)
    return inputs


def _with_data(inputs: list[Tensor]) -> list[CoreTensor]:
    tensors = [tensor.core for tensor in inputs]
    if None in tensors:
        raise invalid(f"inputs[{tensors.index(None)}]: found a tensor without data")
    return [tensor for tensor in tensors if tensor is not None]


def _handle(stream: Any) -> Stream | int:
    if isinstance(stream, (Stream, int)) and not isinstance(stream, bool):
        return stream
    raise wrong("Stream must be an integer, as acl.rt.create_stream returns it", stream)


def _stream(handle: Stream | int) -> Stream | None:
    if isinstance(handle, Stream):
        return handle
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

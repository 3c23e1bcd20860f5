"""The runner of an operation: makes a kernel graph of its parameter and tensors, and keeps it for the next Setup.

Source: ascend-transformer-boost `src/atb/runner/{runner,ops_runner}.cpp` and the runners under `src/ops/ops_train/`
@ddcc8b6.
"""

from __future__ import annotations

from dataclasses import dataclass

from cannery.atb.counters import Tally
from cannery.atb.errors import KernelError, from_kernel
from cannery.atb.kernel import Kernel, align
from cannery.atb.kernel_cache import LOCAL_COUNT, Item, KernelCache, capacity, global_cache
from cannery.core import Stage, TensorDesc
from cannery.operator import CallContext, Operator
from cannery.operator.staged import Prepared

TILING_ALIGNMENT = 512
WORKSPACE_ALIGNMENT = 512
# An optional input may be absent.
Descs = tuple[TensorDesc | None, ...]


@dataclass(frozen=True)
class KernelGraphNode:
    """A node: the operation it runs, and which of the graph's tensors it reads and writes."""

    operation: str
    call: CallContext
    in_tensors: tuple[int, ...]
    out_tensors: tuple[int, ...]
    tiling_cache_enable: bool = True


@dataclass(frozen=True)
class KernelGraph:
    """Tensors, counted through inputs, outputs, internal ones, and nodes in the order they run."""

    in_tensors: Descs
    out_tensors: Descs
    internal_tensors: Descs
    nodes: tuple[KernelGraphNode, ...]


@dataclass(frozen=True)
class Plan:
    """What Setup found out: the graph, each node's kernel and call."""

    graph: KernelGraph
    kernels: tuple[Kernel, ...]
    calls: tuple[Prepared, ...]

    @property
    def tiling_size(self) -> int:
        """Bytes of all tilings together, in blocks of 512."""
        return align(sum(Kernel.tiling_size(call.tiling) for call in self.calls), TILING_ALIGNMENT)

    @property
    def workspace_size(self) -> int:
        """Bytes of the kernels' workspaces, in blocks of 512."""
        return align(sum(sum(call.tiling.workspaces) for call in self.calls), WORKSPACE_ALIGNMENT)


class OpsRunner:
    """A runner. ``param`` is the bound call without tensors: attributes, chip, mode."""

    def __init__(self, operator: Operator, param: CallContext, tally: Tally) -> None:
        self.operator = operator
        self.param = param
        self.is_param_updated = False
        self.setup_count = 0
        self._tally = tally
        self._cache = KernelCache(capacity(LOCAL_COUNT))
        self._last: tuple[Descs, Descs] = ((), ())
        self._plan: Plan | None = None

    def set_param(self, param: CallContext) -> None:
        """Take a parameter; an equal one changes nothing."""
        if param == self.param:
            return
        self._tally.add("params_changed")
        self.param = param
        self.is_param_updated = True

    def setup(self, call: CallContext, launches_with_tiling: bool) -> Plan:
        """The plan of a call: the last one when neither parameter nor tensors are other than they were.

        Raises:
            OperatorError: the checks of Setup, or the kernels, refuse it.
        """
        descs = (call.inputs, call.outputs)
        if self._plan is not None and not self.is_param_updated and self.setup_count and descs == self._last:
            self._tally.add("replayed")
        else:
            self._plan = self._build(call, launches_with_tiling)
            self._tally.add("rebuilt")
        self._last = descs
        self.is_param_updated = False
        self.setup_count += 1
        return self._plan

    def setup_kernel_graph(self, call: CallContext) -> KernelGraph:
        """One node that has all the tensors: what the runner of every train operator builds."""
        inputs, outputs = len(call.inputs), len(call.outputs)
        ids = tuple(range(inputs + outputs))
        node = KernelGraphNode(f"{self.operator.name}Operation", call, ids[:inputs], ids[inputs:])
        return KernelGraph(call.inputs, call.outputs, (), (node,))

    def _build(self, call: CallContext, launches_with_tiling: bool) -> Plan:
        self._plan = None
        graph = self.setup_kernel_graph(call)
        try:
            kernels = tuple(Kernel.best(node.operation) for node in graph.nodes)
            pairs = zip(kernels, graph.nodes, strict=True)
            calls = tuple(self._prepared(kernel, node, launches_with_tiling) for kernel, node in pairs)
        except KernelError as failure:
            raise from_kernel(Stage.TILING, self.operator.name, failure) from failure
        return Plan(graph, kernels, calls)

    def _prepared(self, kernel: Kernel, node: KernelGraphNode, launches_with_tiling: bool) -> Prepared:
        shared = global_cache(f"{self.operator.name}OpsRunner")
        for cache, hit in ((self._cache, "local_hits"), (shared, "global_hits")):
            found = cache.find(node.call, launches_with_tiling) if node.tiling_cache_enable else None
            if found is not None:
                self._tally.add(hit)
                return found
        made = kernel.init(node.call)
        self._tally.add("tilings")
        for cache in (self._cache, shared):
            cache.add(Item(made, launches_with_tiling))
        return made

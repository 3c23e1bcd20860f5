"""``torch_atb.GraphBuilder``: a graph whose tensors have the names the user gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cannery.atb.graph import MAX_TENSORS, GraphParam, Node
from cannery.atb.operation import Operation as AtbOperation
from cannery.atb.single import CreateOperation
from cannery.atb.torch_atb._operation import Operation, mapped

ReshapeFunc = Callable[[list[int]], Sequence[int]]


class Names:
    """Numbers of named tensors, and views of them under names of their own."""

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        twice = next((name for name in (*inputs, *outputs) if (*inputs, *outputs).count(name) > 1), None)
        if twice is not None:
            raise RuntimeError(f"graph: found the name {twice!r} twice, expected a name for each input and output")
        self._numbers = {name: number for number, name in enumerate((*inputs, *outputs))}
        self._views: dict[str, tuple[str, ReshapeFunc]] = {}
        self._first = len(self._numbers)

    @property
    def internal(self) -> int:
        """How many tensors are neither inputs nor outputs."""
        return len(self._numbers) - self._first

    def reshape(self, source: str, function: ReshapeFunc, name: str) -> None:
        """Give a tensor with other dims a name."""
        if name in self._numbers or name in self._views or name == self._origin(source):
            raise RuntimeError(f"reshape: found the name {name!r} again, expected a new one")
        self._views[name] = (source, function)

    def _origin(self, name: str) -> str:
        """The tensor a name stands for in the end."""
        while name in self._views:
            name = self._views[name][0]
        return name

    def number(self, name: str) -> int:
        """The number of a tensor; a name that is new is a tensor inside the graph.

        Raises:
            RuntimeError: more than 256 of them.
        """
        if name not in self._numbers:
            if self.internal >= MAX_TENSORS:
                raise RuntimeError(f"graph: found tensor {name!r}, expected at most {MAX_TENSORS} inside a graph")
            self._numbers[name] = len(self._numbers)
        return self._numbers[name]

    def resolve(self, name: str) -> tuple[int, ReshapeFunc | None]:
        """The number of the tensor a name stands for, and what turns its dims into those meant."""
        functions: list[ReshapeFunc] = []
        while name in self._views:
            name, function = self._views[name]
            functions.insert(0, function)
        return self.number(name), _chained(functions)

    def node(self, operation: AtbOperation, inputs: Sequence[str], outputs: Sequence[str]) -> Node:
        """A node between named tensors."""
        given = [self.resolve(name) for name in inputs]
        view = next((name for name in outputs if name in self._views), None)
        if view is not None:
            raise RuntimeError(f"graph: found {view!r}, a view, as an output, expected a tensor")
        ids = [number for number, _ in given]
        return Node(operation, ids, [self.number(name) for name in outputs], [function for _, function in given])


def _chained(functions: Sequence[ReshapeFunc]) -> ReshapeFunc | None:
    if not functions:
        return None

    def reshape(dims: list[int]) -> Sequence[int]:
        for function in functions:
            dims = list(function(dims))
        return dims

    return reshape


class GraphBuilder:
    """Builds a graph by the names of tensors. A name that is neither input nor output is a tensor inside the graph."""

    def __init__(self, name: str = "") -> None:
        self._param = GraphParam(name)
        self._names: Names | None = None

    def set_input_output(self, in_names: Sequence[str], out_names: Sequence[str]) -> None:
        """Name the graph's inputs and outputs; before anything else."""
        self._names = Names(in_names, out_names)
        self._param.inTensorNum, self._param.outTensorNum = len(in_names), len(out_names)

    def add_operation(self, operation: Operation, in_names: Sequence[str], out_names: Sequence[str]) -> None:
        """Let an operation run next. The graph takes it: it cannot be used any more.

        Raises:
            TypeError: no operation.
        """
        names = self._started("add_operation")
        if not isinstance(operation, Operation):
            raise TypeError(f"add_operation: found {type(operation).__name__}, expected an Operation")
        self._param.nodes.append(names.node(operation.take(), in_names, out_names))

    def reshape(self, src_name: str, func: ReshapeFunc, new_name: str) -> None:
        """Give a tensor with other dims a name; ``func`` gets the dims and returns the others."""
        self._started("reshape").reshape(src_name, func, new_name)

    def build(self) -> Operation:
        """The graph as an operation.

        Raises:
            AtbError: a RuntimeError: it is no graph.
        """
        self._param.internalTensorNum = self._started("build").internal
        return Operation._of(mapped(lambda: CreateOperation(self._param)))

    def _started(self, method: str) -> Names:
        if self._names is None:
            raise RuntimeError(f"{method}: found no inputs and outputs, expected set_input_output before it")
        return self._names

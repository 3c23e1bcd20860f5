"""Constructs in a kernel that pyasc's compiler refuses and CPython runs
(hicann/pyasc `docs/python_syntax_support.md`, `python/asc/codegen/function_visitor.py` @cecba26ace65).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType, MappingProxyType
from typing import Any, Final, NamedTuple

from cannery.asc.rewrite import parsed


class Refused(NamedTuple):
    """A construct: its line, what it is, and what to write instead."""

    line: int
    construct: str
    instead: str


_WORDS: Final[Mapping[type[ast.AST], tuple[str, str]]] = MappingProxyType(
    {
        ast.Break: ("break", "put the condition into the loop's bounds or an if around the rest of its body"),
        ast.Continue: ("continue", "put an if around the rest of the loop's body"),
        ast.Try: ("try", "check before, on the host"),
        ast.Raise: ("raise", "check before, on the host"),
        ast.Lambda: ("lambda", "write the expression where it is used, or an @asc.jit function"),
        ast.Yield: ("yield", "call an @asc.jit function"),
        ast.YieldFrom: ("yield", "call an @asc.jit function"),
        ast.Await: ("await", "call an @asc.jit function"),
        ast.Import: ("import", "import at the top of the module"),
        ast.ImportFrom: ("import", "import at the top of the module"),
        ast.Global: ("global", "pass the value as a parameter"),
        ast.Nonlocal: ("nonlocal", "pass the value as a parameter"),
        ast.FunctionDef: ("nested def", "define an @asc.jit function at the top of the module"),
        ast.AsyncFunctionDef: ("nested def", "define an @asc.jit function at the top of the module"),
        ast.ClassDef: ("class", "define it at the top of the module"),
        ast.ListComp: ("comprehension", "write the list, or fill it in a static_range loop"),
        ast.SetComp: ("comprehension", "write the values out"),
        ast.DictComp: ("comprehension", "write the values out"),
        ast.GeneratorExp: ("comprehension", "write the values out"),
        ast.Dict: ("dict literal", "use names or a tuple"),
        ast.Set: ("set literal", "use names or a tuple"),
    }
)
_CLOSED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BUILTINS: Final = frozenset(
    {"dict", "float", "int", "isinstance", "issubclass", "len", "list", "range", "repr", "str", "tuple", "type"}
)
_RANGES: Final = frozenset({"range", "static_range"})
_NUMBERS: Final = frozenset(
    {
        "get_block_idx", "get_block_num", "get_sub_block_idx", "get_sub_block_num", "get_task_ratio", "get_size",
        "get_length", "ceildiv",
    }
)  # fmt: skip
_READS: Final = _NUMBERS | {"get_value", "number", "has_idle_buffer", "has_tensor_in_que", "get_tensor_count_in_que"}
"""Calls whose value is known at run time only."""
_TENSORS: Final = frozenset({"LocalTensor", "GlobalTensor", "LocalTensorAuto", "alloc_tensor", "deque"})


def refused(function: FunctionType, constants: Iterable[str], *, is_kernel: bool) -> tuple[Refused, ...]:
    """The refused constructs of a jitted function, in the order of their lines.

    ``constants``: its ConstExpr parameters; ``is_kernel``: it was launched, rather than called by a kernel.
    """
    found = parsed(function)
    if found is None:
        return ()
    definition, first = found
    reader = _Reader(function, definition, constants, is_kernel=is_kernel)
    reader.read(definition.body)
    told = dict.fromkeys(reader.found)
    return tuple(sorted(one._replace(line=one.line + first - 1) for one in told))


class _Reader:
    """Reads a function's body; ``found`` gathers what is refused."""

    def __init__(
        self, function: FunctionType, definition: ast.FunctionDef, constants: Iterable[str], *, is_kernel: bool
    ) -> None:  # fmt: skip
        self.found: list[Refused] = []
        self._scope = {**function.__globals__, **_closure(function)}
        self._is_kernel = is_kernel
        self._runtime = _runtime_names(definition, set(constants))
        self._kinds: dict[str, str] = {}
        self._carried = 0
        self._pipes = 0
        self._destroys = any(_called(node) == "destroy" for node in ast.walk(definition))

    def read(self, body: Iterable[ast.stmt]) -> None:
        """Read statements."""
        for statement in body:
            self._read(statement)

    def _read(self, node: ast.AST) -> None:
        if type(node) in _WORDS:
            self._refuse(node, *_WORDS[type(node)])
        check = _CHECKS.get(type(node))
        if check is not None:
            check(self, node)
        if not isinstance(node, _CLOSED):
            self._read_children(node)

    def _read_children(self, node: ast.AST) -> None:
        carries = isinstance(node, (ast.For, ast.While)) or (isinstance(node, ast.If) and self._is_runtime(node.test))
        self._carried += carries
        for child in _live(node, self._scope, self._runtime):
            self._read(child)
        self._carried -= carries

    def _refuse(self, node: ast.AST, construct: str, instead: str) -> None:
        self.found.append(Refused(getattr(node, "lineno", 1), construct, instead))

    def _is_runtime(self, expression: ast.expr) -> bool:
        return _is_runtime(expression, self._runtime)

    def for_loop(self, node: Any) -> None:
        """Over a range, with a plain name, without else."""
        if node.orelse:
            self._refuse(node, "for … else", "set a name in the loop and test it behind it")
        if _called(node.iter) not in _RANGES:
            self._refuse(node, "for over something else than a range", "loop over asc.range or asc.static_range")
        if not isinstance(node.target, ast.Name):
            self._refuse(node, "for with several targets", "loop over an index")
        elif _called(node.iter) == "range":
            self._kinds[node.target.id] = "int"

    def while_loop(self, node: Any) -> None:
        """Without else."""
        if node.orelse:
            self._refuse(node, "while … else", "test the condition again behind the loop")

    def with_block(self, node: Any) -> None:
        """With one item."""
        if len(node.items) > 1:
            self._refuse(node, "with of several items", "nest the blocks")

    def comparison(self, node: Any) -> None:
        """Of two values; no membership."""
        if len(node.ops) > 1:
            self._refuse(node, "chained comparison", "join two comparisons with and")
        if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            self._refuse(node, "in", "compare with each value")

    def boolean(self, node: Any) -> None:
        """Of two operands."""
        if len(node.values) > 2:
            self._refuse(node, "and, or of more than two operands", "put brackets around two of them")

    def binary(self, node: Any) -> None:
        """No power of run-time numbers."""
        if isinstance(node.op, ast.Pow) and (self._is_runtime(node.left) or self._is_runtime(node.right)):
            self._refuse(node, "** of run-time numbers", "multiply")

    def returned(self, node: Any) -> None:
        """A kernel gives nothing back, and nothing returns at run time."""
        if node.value is not None and self._is_kernel:
            self._refuse(node, "value returned from a kernel", "write it to global memory")
        if self._carried:
            self._refuse(node, "return decided at run time", "put an if around the rest of the function")

    def call(self, node: Any) -> None:
        """Of jitted functions and a few built-in ones; one TPipe alive."""
        if _called(node) == "TPipe":
            self._pipes += 1
            if self._pipes > 1 and not self._destroys:
                self._refuse(node, "second TPipe", "use one, or destroy() the first before")
        if not isinstance(node.func, ast.Name):
            return
        name = node.func.id
        if name in self._scope:
            target = self._scope[name]
            if isinstance(target, FunctionType) and not target.__module__.startswith("cannery."):
                self._refuse(node, f"call of {name}, a plain Python function", "decorate it with @asc.jit")
        elif hasattr(builtins, name) and name not in _BUILTINS:
            instead = "use asc.printf" if name == "print" else "write it out"
            self._refuse(node, name if name == "print" else f"{name}()", instead)

    def assignment(self, node: Any) -> None:
        """To one target, which keeps its type where the compiler carries it through a branch or a loop."""
        if len(node.targets) > 1:
            self._refuse(node, "several assignment targets", "assign one after the other")
            return
        target = node.targets[0]
        if not isinstance(target, ast.Name):
            return
        kind, before = self._kind(node.value), self._kinds.get(target.id, "")
        if self._carried and kind and before and kind != before:
            self._refuse(node, f"type change of {target.id} from {before} to {kind}", "use another name")
        elif kind and not (self._carried and before):
            self._kinds[target.id] = kind

    def _kind(self, value: ast.expr) -> str:
        """What a value is, "" where that is not plain."""
        match value:
            case ast.Constant(value=bool()):
                return "bool"
            case ast.Constant(value=int()):
                return "int"
            case ast.Constant(value=float()):
                return "float"
            case ast.Name():
                return self._kinds.get(value.id, "")
            case ast.UnaryOp(op=ast.USub()):
                return self._kind(value.operand)
            case ast.Call():
                name = _called(value)
                return "int" if name in _NUMBERS else "tensor" if name in _TENSORS else ""
            case ast.BinOp() if not isinstance(value.left, ast.Constant):
                return self._kind(value.left)
            case ast.BinOp(right=ast.Constant()):
                kinds = {self._kind(value.left), self._kind(value.right)}
                return "float" if "float" in kinds or isinstance(value.op, ast.Div) else "int"
        return ""


_CHECKS: Final[Mapping[type[ast.AST], Callable[[_Reader, Any], None]]] = MappingProxyType(
    {
        ast.For: _Reader.for_loop,
        ast.While: _Reader.while_loop,
        ast.With: _Reader.with_block,
        ast.Compare: _Reader.comparison,
        ast.BoolOp: _Reader.boolean,
        ast.BinOp: _Reader.binary,
        ast.Return: _Reader.returned,
        ast.Call: _Reader.call,
        ast.Assign: _Reader.assignment,
    }
)


def _closure(function: FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found: dict[str, Any] = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    return found


def _called(node: ast.AST) -> str:
    """The last name of what a call calls, "" where it is no call of a name."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _runtime_names(definition: ast.FunctionDef, constants: set[str]) -> set[str]:
    """Names whose values are known at run time only."""
    arguments = [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]
    names = {argument.arg for argument in arguments} - constants
    before = -1
    while len(names) != before:  # what follows from them, in loops as well
        before = len(names)
        for node in ast.walk(definition):
            names |= _bound_at_runtime(node, names)
    return names


def _bound_at_runtime(node: ast.AST, names: set[str]) -> set[str]:
    match node:
        case ast.For(target=ast.Name(id=name), iter=iterated) if _called(iterated) == "range":
            return {name}
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_runtime(value, names):
            return {name}
        case ast.AugAssign(target=ast.Name(id=name), value=value) if _is_runtime(value, names):
            return {name}
    return set()


def _is_runtime(expression: ast.AST, names: set[str]) -> bool:
    """Whether a value is known at run time only. A tensor's type and size in bytes are known before."""
    match expression:
        case ast.Attribute(attr="dtype") | ast.Call(func=ast.Attribute(attr="sizeof")):
            return False
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return False
        case ast.Name(id=name):
            return name in names
        case ast.Call() if _called(expression) in _READS:
            return True
        case ast.Call() if _called(expression) in _TENSORS | {"isinstance", "issubclass", "type"}:
            return False
    return any(_is_runtime(child, names) for child in ast.iter_child_nodes(expression))


def _live(node: ast.AST, scope: Mapping[str, Any], runtime: set[str]) -> Iterator[ast.AST]:
    """The parts of a node that are compiled: of a branch on a constant, only the one that is taken."""
    if isinstance(node, ast.If) and not _is_runtime(node.test, runtime):
        taken = _constant(node.test, scope)
        if taken is not None:
            yield from node.body if taken else node.orelse
            return
    yield from ast.iter_child_nodes(node)


def _constant(test: ast.expr, scope: Mapping[str, Any]) -> bool | None:
    """The value of a test of constants of the module, None where it is not one."""
    match test:
        case ast.Constant():
            return bool(test.value)
        case ast.Name(id=name) if isinstance(scope.get(name), (bool, int, str)):
            return bool(scope[name])
        case ast.UnaryOp(op=ast.Not()):
            inner = _constant(test.operand, scope)
            return None if inner is None else not inner
    return None

"""The places where a jitted body means something else than Python would do.

pyasc never runs the body; it reads it. Two constructs come out differently in CPython and are rewritten, file names and
line numbers unchanged: ``with m.iterate() as n:`` is a loop, and the index of ``for i in range(...)`` is a run-time
int32 (hicann/pyasc `python/asc/codegen/function_visitor.py` @cecba26ace65). A body without them is left alone.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import threading
from types import CodeType, FunctionType
from typing import Any, Final

from cannery.asc.loops import runtime_range

_RANGE: Final = "__asc_range__"
# CPython 3.11 counts the depth of trees in one number for all threads, and raises SystemError where two meet.
_TREES: Final = threading.Lock()


class _Rewriter(ast.NodeTransformer):
    """Rewrites loops; ``changed`` tells whether there was anything to do."""

    def __init__(self) -> None:
        self.changed = False

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range":
            call.func = ast.copy_location(ast.Name(_RANGE, ast.Load()), call.func)
            self.changed = True
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        if len(node.items) != 1 or not _iterates(node.items[0].context_expr):
            return node
        self.changed = True
        target = node.items[0].optional_vars or ast.Name("_", ast.Store())
        loop = ast.For(target=target, iter=node.items[0].context_expr, body=node.body, orelse=[], type_comment=None)
        return ast.fix_missing_locations(ast.copy_location(loop, node))


def _iterates(expression: ast.expr) -> bool:
    return (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Attribute)
        and expression.func.attr == "iterate"
    )


def parsed(function: FunctionType) -> tuple[ast.FunctionDef, int] | None:
    """A function's definition and its first line; None where there is no source."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = _tree(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    definition = tree.body[0]
    return (definition, first) if isinstance(definition, ast.FunctionDef) else None


def _tree(source: str) -> ast.Module:
    with _TREES:
        return ast.parse(source)


def rewrite(function: FunctionType) -> FunctionType:
    """The function with its loops rewritten; the function itself where there is nothing to rewrite or no source."""
    found = parsed(function)
    if found is None:
        return function
    definition, first = found
    rewriter = _Rewriter()
    definition.body = [rewriter.visit(statement) for statement in definition.body]
    if not rewriter.changed:
        return function
    return _rebuild(function, definition, first)


def _rebuild(function: FunctionType, definition: ast.FunctionDef, first: int) -> FunctionType:
    """Compile the definition inside a function that binds its free names, and give it the original's closure."""
    definition.decorator_list = []
    definition.returns = None
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    free = [*function.__code__.co_freevars, _RANGE]
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in free], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    outer = _tree("def outer(): pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.args, outer.body = parameters, [definition]
    module = ast.Module([outer], [])
    ast.increment_lineno(module, first - 1)
    ast.fix_missing_locations(module)
    with _TREES:
        compiled = compile(module, function.__code__.co_filename, "exec")
    code = _inner(compiled, function.__name__)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[_RANGE] = _cell(runtime_range)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__annotations__ = function.__annotations__
    made.__dict__.update(function.__dict__)
    return made


def _inner(module: CodeType, name: str) -> CodeType:
    outer = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return next(c for c in outer.co_consts if isinstance(c, CodeType) and c.co_name == name)


def _cell(value: Any) -> Any:
    def reader() -> Any:
        return value

    cells = reader.__closure__
    assert cells is not None
    return cells[0]

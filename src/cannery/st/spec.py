"""The TestSpec contract: what an operator's assets say about its golden, its comparison and its inputs.

An asset file is searched by reading its syntax tree, never by running it; only the file that has the operator is run.
Source: hicann/ops-test-kit `ttk/test_spec/README.md` @36750932, `loader.py` and `validator.py` @202675b6.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar

from cannery.core import DataType
from cannery.operator import Operator
from cannery.st.compare.route import Tolerance, spec_tolerance
from cannery.st.usercode import user_code

FUNCTIONS = ("pre_compare", "compare", "customize_inputs")


class SpecError(ValueError):
    """An asset file that breaks the contract, or cannot be run."""


@dataclass(frozen=True)
class TestSpec:
    """What the assets say of one operator; every part may be absent.

    Attributes:
        source: the file it comes from.
        golden, third_party: an API path, a function, a class; the third party also a dict from vendor to one.
        tolerance: the standard of a data type.
        pre_compare, compare, customize_inputs: hooks.
        op_type: ATB's kind of work ("MOVE", "COMPUTE_FLOAT" …), or a function of the parameters that tells it.
        accumulations: how many products an output element sums, or a function of the parameters.
    """

    __test__: ClassVar[bool] = False  # not a test class

    source: str
    golden: Any = None
    third_party: Any = None
    tolerance: Mapping[DataType, Tolerance] = field(default_factory=lambda: MappingProxyType({}))
    pre_compare: Callable[..., Any] | None = None
    compare: Callable[..., Any] | None = None
    customize_inputs: Callable[..., Any] | None = None
    op_type: str | Callable[..., str] | None = None
    accumulations: int | Callable[..., int] = 1


def load_spec(operator: Operator, plugins: Iterable[Path] = ()) -> TestSpec | None:
    """The spec of an operator: from a user's folders, else from its golden module; None without one.

    Raises:
        SpecError: an asset file breaks the contract.
    """
    for folder in plugins:
        for path in asset_files(folder):
            names = find_names(path, operator)
            if names is not None:
                return _read_spec(path, _run_file(path), names)
    return _own_spec(operator) if operator.golden else None


def asset_files(folder: Path) -> tuple[Path, ...]:
    """The asset files of a plugin folder: ``assets/*.py``, else ``*.py``; names that start with ``_`` are passed over.

    Raises:
        SpecError: there is no such folder.
    """
    if folder.is_file():
        return (folder,)
    if not folder.is_dir():
        raise SpecError(f"plugin: found nothing at {folder}, expected a folder with assets/*.py")
    assets = folder / "assets" if (folder / "assets").is_dir() else folder
    return tuple(path for path in sorted(assets.glob("*.py")) if not path.name.startswith("_"))


@dataclass(frozen=True)
class Names:
    """What an asset file calls the parts of one operator."""

    spec: str = ""
    golden: str = ""
    customize_inputs: str = ""


def find_names(path: Path, operator: Operator) -> Names | None:
    """What the file calls the operator's spec, without running the file; None when it has none.

    ``__spec__`` comes first, then a class named PascalCase + ``TestSpec``, then the older ``__golden__`` dict.

    Raises:
        SpecError: the file is not Python.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    except (SyntaxError, ValueError) as failure:
        raise SpecError(f"{path}: found {failure}, expected a Python file") from None
    ours = (operator.definition.snake_name, operator.name)
    spec = _dict_of(tree, "__spec__")
    named = next((spec[name] for name in ours if isinstance(spec.get(name), str)), None)
    pascal = {operator.name, "".join(word.capitalize() for word in operator.definition.snake_name.split("_"))}
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    named = named or next((name for name in classes if name in {f"{word}TestSpec" for word in pascal}), None)
    if named is not None:
        return Names(spec=named)
    golden, inputs = (_dict_of(tree, name).get("kernel", {}) for name in ("__golden__", "__input__"))
    legacy = next((golden[name] for name in ours if name in golden), "")
    customize = next((inputs[name] for name in ours if name in inputs), "")
    return Names(golden=legacy, customize_inputs=customize) if legacy else None


def _dict_of(tree: ast.Module, name: str) -> dict[str, Any]:
    """The dict of literals that a module assigns to a name; the last assignment wins."""
    found: dict[str, Any] = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            assert isinstance(node, (ast.Assign, ast.AnnAssign))
            found = _literal_dict(node.value)
    return found


def _literal_dict(node: ast.expr | None) -> dict[str, Any]:
    try:
        value = ast.literal_eval(node) if node is not None else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _own_spec(operator: Operator) -> TestSpec:
    # Not find_spec: once the module is imported, it answers with the dict that the contract has modules call __spec__.
    with user_code(f"{operator.name}: golden {operator.golden}", SpecError):
        module = import_module(operator.golden)
    path = Path(str(module.__file__))
    names = find_names(path, operator)
    if names is None:
        raise SpecError(
            f"{path}: found no spec of {operator.definition.snake_name}, expected __spec__ to name its class"
        )
    return _read_spec(path, module, names)


def _run_file(path: Path) -> ModuleType:
    """The module of an asset file, run once; files next to it can be imported by it."""
    digest = hashlib.sha256(str(path.resolve()).encode() + path.read_bytes()).hexdigest()[:16]
    name = f"_cannery_asset_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Classes look their module up while they are made.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        with user_code(str(path), SpecError):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(path.parent))
    return module


def _read_spec(path: Path, module: ModuleType, names: Names) -> TestSpec:
    if not names.spec:
        customize = _member(path, module, names.customize_inputs) if names.customize_inputs else None
        return TestSpec(str(path), golden=_member(path, module, names.golden), customize_inputs=customize)
    made = _member(path, module, names.spec)
    parts = {name: _plain(made, name) for name in TestSpec.__dataclass_fields__ if name not in ("source", "tolerance")}
    parts["op_type"] = parts["op_type"] or _plain(made, "get_op_type")
    for name in FUNCTIONS:
        if parts[name] is not None and not inspect.isfunction(parts[name]):
            raise SpecError(f"{path}: {names.spec}.{name}: found {type(parts[name]).__name__}, expected a function")
    given = {name: part for name, part in parts.items() if part is not None}
    return TestSpec(str(path), tolerance=_tolerances(path, names.spec, _plain(made, "tolerance")), **given)


def _member(path: Path, module: ModuleType, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError:
        raise SpecError(f"{path}: found no {name}, expected it to be there, as it is named") from None


def _plain(made: Any, name: str) -> Any:
    """A class attribute as it was written: functions without ``self``, static or not."""
    part = inspect.getattr_static(made, name, None)
    if isinstance(part, (staticmethod, classmethod)):
        return part.__func__ if isinstance(part, staticmethod) else part.__get__(None, made)
    return part


def _tolerances(path: Path, spec: str, given: Any) -> Mapping[DataType, Tolerance]:
    if given is not None and not isinstance(given, Mapping):
        raise SpecError(f"{path}: {spec}.tolerance: found {type(given).__name__}, expected a dict by data type")
    try:
        entries = {DataType.of(dtype): spec_tolerance(entry) for dtype, entry in (given or {}).items()}
    except ValueError as failure:
        raise SpecError(f"{path}: {spec}.tolerance: {failure}") from None
    return MappingProxyType(entries)

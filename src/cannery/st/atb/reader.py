"""A row of an ATB case file as a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cannery.core import DataType, Format, Shape, TensorDesc
from cannery.operator import ATB, Attribute, AttrType, Operator, OperatorDefinition
from cannery.st.atb import schema
from cannery.st.case import (
    Case,
    CellError,
    Data,
    Expectation,
    Standard,
    TensorSpec,
    check_chip,
    data_type,
    memory_format,
)

Find = Callable[[str], Operator]
# The original runs a Performance row 400 times for its timing. What the row checks is the same, and a host's time says
# nothing of a device: it runs once.
GENERALIZATION = "Generalization"
RESERVED = "reserved"


def read_row(file: Path, row: int, cells: Mapping[str, str], find: Find) -> Case:
    """The case a row describes.

    Raises:
        CellError: a cell is not what its column wants; it names the column.
    """
    told = schema.without_words_for_nothing(cells)
    operator = _read(told, "OpName", lambda name: _operator(find, name))
    attrs = _read(told, "OpParam", lambda cell: _attributes(operator.definition, schema.read_param(cell)))
    test_type = _read(told, "TestType", schema.read_test_type)
    expected = _read(told, "ExpectedError", schema.read_expectation)
    return Case(
        file=file,
        row=row,
        name=cells["CaseName"] or f"{operator.name}_{cells['CaseNum'] or row}",
        operator=operator,
        cells=cells,
        standard=Standard.ATB,
        inputs=_inputs(file.parent, told, operator.definition),
        outputs=None if test_type == GENERALIZATION else _outputs(told, expected, operator.definition),
        attrs=attrs,
        socs=_read(told, "SocVersion", _socs),
        expected=expected,
        golden_files=_read(told, "OutTensorFile", lambda cell: _files(file.parent, cell)),
    )


def _read(cells: Mapping[str, str], column: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(cells[column])
    except CellError as failure:
        raise CellError(failure.found, failure.expected, column) from None


def _operator(find: Find, name: str) -> Operator:
    """OpName without what follows an underscore."""
    try:
        return find(name.partition("_")[0])
    except ValueError as failure:
        raise CellError(repr(name), f"a known operator ({failure})") from None


def _attributes(definition: OperatorDefinition, given: Mapping[str, Any]) -> dict[str, Any]:
    """OpParam by the names of the definition; a key that nothing reads is refused.

    The original reads switches as integers, so 0 and 1 are as good as false and true.
    """
    values: dict[str, Any] = {}
    for key, value in given.items():
        attribute = _attribute(definition, key)
        if attribute.name in values:
            raise CellError(f"{attribute.name} twice, in two spellings", "each parameter once")
        is_number = attribute.type is AttrType.BOOL and type(value) is int and value in (0, 1)
        values[attribute.name] = bool(value) if is_number else value
    return values


def _attribute(definition: OperatorDefinition, key: str) -> Attribute:
    keyed = {name: attribute for attribute in definition.attributes for name in attribute.case_keys}
    found = definition.attribute(key) or keyed.get(key)
    if found is not None:
        return found
    names = [attribute.name for attribute in definition.attributes if not attribute.internal]
    near = get_close_matches(key, [*names, *keyed], n=1)
    wanted = repr(near[0]) if near else f"one of {', '.join(names)}" if names else "no parameter"
    raise CellError(f"{key!r}, which {definition.name} has not", wanted)


def _socs(cell: str) -> tuple[str, ...]:
    names = tuple(name for name in cell.split(",") if name)
    for name in names:
        check_chip(name)
    return names


def _inputs(folder: Path, cells: Mapping[str, str], definition: OperatorDefinition) -> tuple[TensorSpec | None, ...]:
    count = _read(cells, "InNum", schema.read_number)
    dtypes = _listed(cells, "InDType", count, data_type)
    formats = _listed(cells, "InFormat", count, schema.read_input_format)
    shapes = _listed(cells, "InShape", count, schema.read_shape)
    tensors = zip(dtypes, shapes, formats, _data(folder, cells, count), strict=True)
    specs = [TensorSpec(_desc(definition, *told), source) for *told, source in tensors]
    # The original's tests spell an optional input that is not there as a tensor of no elements.
    optional = [param.optional for param in definition.inputs[:count]] + [False] * count
    return tuple(
        None if shape == (0,) and optional[i] else spec
        for i, (shape, spec) in enumerate(zip(shapes, specs, strict=True))
    )


def _desc(definition: OperatorDefinition, dtype: DataType, shape: Shape, layout: Format) -> TensorDesc:
    # The original's harness sets dims only where there is memory, so ATB sees a tensor of no elements without dims
    # (tests/framework/c++/atb_torch/utils/utils.cpp).
    is_unset = definition.contract is ATB and 0 in shape
    return TensorDesc(dtype, Shape(()) if is_unset else shape, layout)


def _listed(cells: Mapping[str, str], column: str, count: int, read: Callable[[str], Any]) -> tuple[Any, ...]:
    return tuple(_read(cells, column, lambda cell: schema.read_list(cell, count, read)))


def _data(folder: Path, cells: Mapping[str, str], count: int) -> tuple[Data, ...]:
    """How the inputs are filled. What the cells tell of more inputs than there are is never looked at."""

    def fills(cell: str) -> Any:
        return schema.read_list(cell or "customize", count, schema.read_fill, may_be_more=True)

    def ranges(cell: str) -> Any:
        default = (schema.DEFAULT_RANGE,) * count
        return schema.read_list(cell, count, schema.read_range, may_be_more=True) if cell else default

    pairs = zip(_read(cells, "DataGenType", fills), _read(cells, "DataGenRange", ranges), strict=True)
    data = [schema.read_data(fill, bounds) for fill, bounds in pairs]
    files = _read(cells, "InTensorFile", lambda cell: _files(folder, cell))
    for index, path in enumerate(files[:count]):
        data[index] = replace(data[index], file=path)
    return tuple(data)


def _outputs(
    cells: Mapping[str, str], expected: Expectation, definition: OperatorDefinition
) -> tuple[TensorSpec, ...] | None:
    """What the row says of the outputs; None where it leaves them to shape inference."""
    said = [cells[column] for column in ("OutDType", "OutFormat", "OutShape")]
    # Rows that await an error, or end at a stage, often leave cells empty, whatever the number says.
    is_partial = expected.stage is not None and not all(said)
    if RESERVED in (*said, cells["OutNum"]) or is_partial or not any(said):
        return None
    count = _read(cells, "OutNum", schema.read_number)
    dtypes, formats = _listed(cells, "OutDType", count, data_type), _listed(cells, "OutFormat", count, memory_format)
    tensors = zip(dtypes, _listed(cells, "OutShape", count, schema.read_shape), formats, strict=True)
    return tuple(TensorSpec(_desc(definition, *told)) for told in tensors)


def _files(folder: Path, cell: str) -> tuple[Path | None, ...]:
    paths = tuple(folder / name if name else None for name in cell.split(";")) if cell else ()
    missing = next((path for path in paths if path is not None and not path.is_file()), None)
    if missing is not None:
        raise CellError(f"{missing}, which is not there", "a file")
    return paths

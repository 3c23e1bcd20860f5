"""A row of an ATB case file as a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cannery.core import TensorDesc
from cannery.operator import Attribute, AttrType, Operator, OperatorDefinition
from cannery.st.atb import schema
from cannery.st.case import Case, CellError, Data, Standard, TensorSpec, check_chip, data_type, memory_format

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
    operator = _read(cells, "OpName", lambda name: _operator(find, name))
    attrs = _read(cells, "OpParam", lambda cell: _attributes(operator.definition, schema.read_param(cell)))
    test_type = _read(cells, "TestType", schema.read_test_type)
    return Case(
        file=file,
        row=row,
        name=cells["CaseName"] or f"{operator.name}_{cells['CaseNum'] or row}",
        operator=operator,
        cells=cells,
        standard=Standard.ATB,
        inputs=_inputs(file.parent, cells),
        outputs=None if test_type == GENERALIZATION else _outputs(cells),
        attrs=attrs,
        socs=_read(cells, "SocVersion", _socs),
        expected=_read(cells, "ExpectedError", schema.read_expectation),
        golden_files=_read(cells, "OutTensorFile", lambda cell: _files(file.parent, cell)),
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


def _inputs(folder: Path, cells: Mapping[str, str]) -> tuple[TensorSpec, ...]:
    count = _read(cells, "InNum", schema.read_number)

    def listed(column: str, read: Callable[[str], Any]) -> Any:
        return _read(cells, column, lambda cell: schema.read_list(cell, count, read))

    dtypes = listed("InDType", data_type)
    formats = listed("InFormat", schema.read_input_format)
    shapes = listed("InShape", schema.read_shape)
    data = _data(folder, cells, count)
    tensors = zip(dtypes, shapes, formats, data, strict=True)
    return tuple(TensorSpec(TensorDesc(dtype, shape, layout), source) for dtype, shape, layout, source in tensors)


def _data(folder: Path, cells: Mapping[str, str], count: int) -> tuple[Data, ...]:
    def fills(cell: str) -> Any:
        return schema.read_list(cell or "customize", count, schema.read_fill)

    def ranges(cell: str) -> Any:
        return schema.read_list(cell, count, schema.read_range) if cell else (schema.DEFAULT_RANGE,) * count

    pairs = zip(_read(cells, "DataGenType", fills), _read(cells, "DataGenRange", ranges), strict=True)
    data = [schema.read_data(fill, bounds) for fill, bounds in pairs]
    files = _read(cells, "InTensorFile", lambda cell: _files(folder, cell))
    for index, path in enumerate(files[:count]):
        data[index] = replace(data[index], file=path)
    return tuple(data)


def _outputs(cells: Mapping[str, str]) -> tuple[TensorSpec, ...] | None:
    """What the row says of the outputs; None where it leaves them to shape inference."""
    columns = ("OutNum", "OutDType", "OutFormat", "OutShape")
    said = [cells[column] for column in columns]
    # Rows that await an error often leave the cells empty, whatever the number says.
    if RESERVED in said or not any(said[1:]):
        return None
    count = _read(cells, "OutNum", schema.read_number)

    def listed(column: str, read: Callable[[str], Any]) -> Any:
        return _read(cells, column, lambda cell: schema.read_list(cell, count, read))

    dtypes, formats = listed("OutDType", data_type), listed("OutFormat", memory_format)
    tensors = zip(dtypes, listed("OutShape", schema.read_shape), formats, strict=True)
    return tuple(TensorSpec(TensorDesc(dtype, shape, layout)) for dtype, shape, layout in tensors)


def _files(folder: Path, cell: str) -> tuple[Path | None, ...]:
    paths = tuple(folder / name if name else None for name in cell.split(";")) if cell else ()
    missing = next((path for path in paths if path is not None and not path.is_file()), None)
    if missing is not None:
        raise CellError(f"{missing}, which is not there", "a file")
    return paths

"""A row of a kernel case file as a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cannery.core import DataType, Format, Shape, TensorDesc
from cannery.operator import Operator
from cannery.st.case import (
    Case,
    CellError,
    Data,
    Slot,
    Standard,
    TensorSpec,
    check_chip,
    check_count,
    data_type,
    make_shape,
    memory_format,
)
from cannery.st.ttk.schema import read_cells

INTERNAL = ("!", "#", "@")
OUTPUT_FILL = 1
Find = Callable[[str], Operator]


def read_row(file: Path, row: int, cells: Mapping[str, str], find: Find) -> Case:
    """The case a row describes; one that is not enabled is not read further.

    Raises:
        CellError: a cell is not what its column wants; it names the column.
    """
    values = read_cells(cells)
    name = values["testcase_name"] or f"auto_testcase_name_{row}"
    operator = _in_column("op_name", _operator, find, values["op_name"])
    inputs = () if not values["is_enabled"] else _inputs(file.parent, values)
    outputs = () if not values["is_enabled"] else _outputs(values, inputs)
    return Case(
        file=file,
        row=row,
        name=name,
        operator=operator,
        cells=cells,
        standard=Standard.TTK,
        inputs=inputs,
        outputs=outputs,
        attrs=_attributes(values),
        socs=_in_column("soc_series", _socs, values["soc_series"]),
        output_fill=OUTPUT_FILL,
        inplace=_in_column("output_inplace_indexes", _inplace, values["output_inplace_indexes"], inputs, outputs),
        tolerances=_in_column("precision_tolerances", _tolerances, values["precision_tolerances"], len(outputs)),
        absolute=_in_column("absolute_precision", _absolute, values["absolute_precision"], len(outputs)),
        golden_files=_in_column("manual_golden_binaries", _files, file.parent, values["manual_golden_binaries"]),
        third_party_files=_in_column("manual_xpu_binaries", _files, file.parent, values["manual_xpu_binaries"]),
        is_enabled=values["is_enabled"],
    )


def _in_column(column: str, reader: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return reader(*arguments)
    except CellError as failure:
        raise CellError(failure.found, failure.expected, failure.column or column) from None


def _operator(find: Find, name: str) -> Operator:
    try:
        return find(name)
    except ValueError as failure:
        raise CellError(name, f"a known operator ({failure})") from None


def _attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(values["attributes"])
    for number in range(1, 10):
        merged.update(values[f"attributes{number}"])
    return {name: value for name, value in merged.items() if not name.startswith(INTERNAL)}


def _socs(names: Sequence[Any]) -> tuple[str, ...]:
    for name in names:
        check_chip(name.removeprefix("-") if isinstance(name, str) else name)
    return tuple(names)


def _inputs(folder: Path, values: Mapping[str, Any]) -> tuple[Slot, ...]:
    shapes = _shapes(values["input_shapes"])
    if not shapes:
        return ()
    columns = {
        "input_shapes": shapes,
        "input_dtypes": values["input_dtypes"],
        "input_formats": values["input_formats"],
        "input_ori_shapes": _shapes(values["input_ori_shapes"]) or shapes,
        "input_ori_formats": values["input_ori_formats"] or values["input_formats"],
        "input_data_ranges": _ranges(values["input_data_ranges"], max(len(shapes), len(values["input_dtypes"]))),
        "manual_input_binaries": values["manual_input_binaries"] or (None,),
    }
    return tuple(_slot(folder, entry) for entry in _aligned(columns, shapes, values["input_dtypes"]))


def _shapes(value: Any) -> Any:
    """One shape a tensor; numbers alone are the dims of a single one."""
    return (value,) if value and not isinstance(value, str) and all(type(dim) is int for dim in value) else value


def _aligned(columns: Mapping[str, tuple[Any, ...]], *counted: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """One dict a tensor; a column of one entry holds for every tensor."""
    count = _in_column(next(iter(columns)), check_count, max(map(len, counted)))
    for column, entries in columns.items():
        if len(entries) not in (1, count):
            raise CellError(f"{len(entries)} entries", f"{count}, one a tensor, or a single one for all", column)
    for index in range(count):
        yield {column: entries[index if len(entries) > 1 else 0] for column, entries in columns.items()}


def _slot(folder: Path, entry: Mapping[str, Any]) -> Slot:
    shape = entry["input_shapes"]
    if shape is None or entry["input_dtypes"] is None:
        return None
    if not _is_list_of_shapes(shape):
        return _tensor(folder, entry)
    columns = {column: value if _is_nested(column, value) else (value,) for column, value in entry.items()}
    columns = {column: tuple(value) for column, value in columns.items()}
    return tuple(_tensor(folder, member) for member in _aligned(columns, columns["input_shapes"]))


def _is_list_of_shapes(shape: Any) -> bool:
    return isinstance(shape, (list, tuple)) and bool(shape) and all(isinstance(dim, (list, tuple)) for dim in shape)


def _is_nested(column: str, value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    return column not in ("input_data_ranges",) or all(isinstance(pair, (list, tuple)) for pair in value)


def _tensor(folder: Path, entry: Mapping[str, Any]) -> TensorSpec:
    shape = _in_column("input_shapes", _shape, entry["input_shapes"])
    origin = _in_column("input_ori_shapes", _shape, entry["input_ori_shapes"])
    dtype: DataType = _in_column("input_dtypes", data_type, entry["input_dtypes"])
    layout: Format = _in_column("input_formats", memory_format, entry["input_formats"])
    data = _in_column("input_data_ranges", _data, entry["input_data_ranges"])
    files = _in_column("manual_input_binaries", _files, folder, (entry["manual_input_binaries"],))
    if files[0] is not None:
        data = Data(file=files[0])
    origin_format = _in_column("input_ori_formats", memory_format, entry["input_ori_formats"])
    return TensorSpec(TensorDesc(dtype, shape, layout, origin), data, origin_format)


def _shape(value: Any) -> Shape:
    """The dims; a scalar becomes a vector of one, as the kit has it."""
    dims = tuple(value) if isinstance(value, (list, tuple)) else value
    if not isinstance(dims, tuple) or not all(type(dim) is int and dim >= 0 for dim in dims):
        raise CellError(repr(value), "a tuple of shapes, each a tuple of dims ≥ 0, such as ((2, 3), (4,))")
    return make_shape(dims or (1,))


def _ranges(value: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """One range an input; a flat pair, or a single one, stands for all of them.

    What more there are is never looked at, and an input without one has the default.
    """
    is_flat = len(value) >= 2 and all(bound is None or type(bound) in (int, float) for bound in value[:2])
    ranges = (value,) if is_flat else value or ((None, None),)
    return ranges if len(ranges) == 1 else (ranges + (None,) * count)[:count]


def _data(value: Any) -> Data:
    if value is None:
        return Data()
    if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], (list, tuple)):
        return _data(value[0])  # of a list of tensors that has one member
    is_range = isinstance(value, (list, tuple)) and len(value) >= 2
    if not is_range or not all(bound is None or type(bound) in (int, float, bool) for bound in value):
        raise CellError(repr(value), "a range (min, max[, values that must occur …])")
    low, high, *must = value
    if low is not None and high is not None and low > high:
        raise CellError(repr(value), "a range whose min is not above its max")
    return Data(low=low, high=high, must_occur=tuple(item for item in must if item is not None))


def _outputs(values: Mapping[str, Any], inputs: Sequence[Slot]) -> tuple[TensorSpec, ...]:
    formats, shapes = values["output_formats"] or ("ND",), _shapes(values["output_shapes"])
    columns = {
        "output_shapes": shapes,
        "output_dtypes": values["output_dtypes"],
        "output_formats": formats,
        "output_ori_shapes": _shapes(values["output_ori_shapes"]) or shapes,
        "output_ori_formats": values["output_ori_formats"] or formats,
    }
    entries = _aligned(columns, shapes, values["output_dtypes"])
    flat = [member for entry in entries for member in _members(entry)]
    return tuple(_output(entry, inputs, _attributes(values)) for entry in flat)


def _members(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tensors of an output that is a list of tensors; else the entry itself."""
    if not _is_list_of_shapes(entry["output_shapes"]):
        yield entry
        return
    columns = {
        column: tuple(value) if isinstance(value, (list, tuple)) else (value,) for column, value in entry.items()
    }
    yield from _aligned(columns, columns["output_shapes"])


def _output(entry: Mapping[str, Any], inputs: Sequence[Slot], attrs: Mapping[str, Any]) -> TensorSpec:
    shape = _in_column("output_shapes", _output_shape, entry["output_shapes"], inputs, attrs)
    dtype = _in_column("output_dtypes", data_type, entry["output_dtypes"])
    layout = _in_column("output_formats", memory_format, entry["output_formats"])
    origin = _in_column("output_ori_shapes", _output_shape, entry["output_ori_shapes"], inputs, attrs)
    return TensorSpec(TensorDesc(dtype, shape, layout, origin))


def _output_shape(value: Any, inputs: Sequence[Slot], attrs: Mapping[str, Any]) -> Shape:
    """The shape, or what a word stands for: ELEWISE all inputs broadcast together, REDUCE the first input reduced."""
    if not isinstance(value, str):
        return _shape(value)
    shapes = [tuple(slot.desc.shape) for slot in inputs if isinstance(slot, TensorSpec)]
    if value.upper() == "ELEWISE" and shapes:
        try:
            return Shape(np.broadcast_shapes(*shapes))
        except ValueError:
            raise CellError(f"ELEWISE over inputs of shapes {shapes}", "inputs that broadcast") from None
    if value.upper() == "REDUCE" and shapes:
        return _reduced(shapes[0], attrs)
    raise CellError(repr(value), "a shape, or ELEWISE or REDUCE with at least one input")


def _reduced(shape: tuple[int, ...], attrs: Mapping[str, Any]) -> Shape:
    axes = _first(attrs, ("axes", "axis", "dim", "dims"))
    axes = tuple(range(len(shape))) if axes is None or axes in ((), []) else axes
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if not all(type(axis) is int and -len(shape) <= axis < len(shape) for axis in axes):
        raise CellError(f"REDUCE over axes {axes}", f"axes within the {len(shape)} dims of the first input")
    gone = {axis % len(shape) for axis in axes}
    if _first(attrs, ("keep_dims", "keepdims", "keep_dim", "keepdim")):
        return Shape(1 if axis in gone else dim for axis, dim in enumerate(shape))
    return Shape([dim for axis, dim in enumerate(shape) if axis not in gone] or [1])


def _first(attrs: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((attrs[name] for name in names if name in attrs), None)


def _inplace(value: tuple[Any, ...], inputs: Sequence[Slot], outputs: Sequence[TensorSpec]) -> tuple[int | None, ...]:
    for output, index in zip(outputs, value, strict=False):
        if index is None:
            continue
        slot = inputs[index] if type(index) is int and 0 <= index < len(inputs) else None
        if not isinstance(slot, TensorSpec):
            raise CellError(repr(index), "the index of an input that is a tensor, or None")
        if (prod(slot.desc.shape), slot.desc.dtype) != (prod(output.desc.shape), output.desc.dtype):
            raise CellError(f"input {index} of {slot.desc}", f"one as large as the output, {output.desc}")
    return value


def _tolerances(value: tuple[Any, ...], count: int) -> tuple[tuple[float, float] | None, ...]:
    if len(value) == 2 and all(type(item) in (int, float) for item in value):
        value = (value,)
    value = tuple(pair for entry in value for pair in (entry if _is_list_of_shapes(entry) else (entry,)))
    for pair in value:
        is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2
        if pair is not None and not (is_pair and all(type(item) in (int, float) for item in pair)):
            raise CellError(repr(pair), "(rtol, ptol) for each output")
    return tuple(tuple(pair) if pair is not None else None for pair in _spread(value, count))


def _absolute(value: Any, count: int) -> tuple[float, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    numbers = [number for item in values for number in (item if isinstance(item, (list, tuple)) else (item,))]
    if not all(type(item) in (int, float) for item in numbers):
        raise CellError(repr(value), "a number, or one for each output")
    return _spread(tuple(float(item) for item in numbers), count)


def _spread(values: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    if len(values) not in (0, 1, count):
        raise CellError(f"{len(values)} entries", f"{count}, one an output, or a single one for all")
    return values * count if len(values) == 1 else values


def _files(folder: Path, names: tuple[Any, ...]) -> tuple[Path | None, ...]:
    paths = tuple(None if name in (None, "") else folder / str(name) for name in names)
    missing = next((path for path in paths if path is not None and not path.is_file()), None)
    if missing is not None:
        raise CellError(f"{missing}, which is not there", "a file")
    return paths

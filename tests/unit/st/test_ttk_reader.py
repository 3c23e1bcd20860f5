"""Rows of kernel case files: defaults, broadcasting, inference words, and what is refused where."""

from typing import Any

import pytest

from cannery.core import DataType, Format, Shape
from cannery.st.case import Data, TensorSpec


def tensors(case: Any) -> list[Any]:
    return [None if spec is None else (tuple(spec.desc.shape), spec.desc.dtype.short) for spec in case.tensors]


def test_defaults(lab: Any) -> None:
    case = lab.ttk({"testcase_name": ""}).cases[0]
    (spec,) = case.tensors
    assert (case.name, case.attrs, case.socs, case.is_enabled, case.output_fill) == (
        "auto_testcase_name_1",
        {},
        (),
        True,
        1,
    )
    assert (spec.desc.format, spec.data, spec.origin_shape) == (Format.FORMAT_ND, Data(), Shape((2, 3)))
    assert (case.tolerances, case.absolute) == ((), (1e-8,))


def test_a_single_entry_holds_for_every_tensor(lab: Any) -> None:
    row = {"input_shapes": "((2, 3), (4,))", "input_dtypes": "('fp16',)", "input_data_ranges": "((0, 1),)"}
    case = lab.ttk(row).cases[0]
    assert tensors(case) == [((2, 3), "float16"), ((4,), "float16")]
    assert [spec.data.high for spec in case.tensors] == [1, 1]
    assert tensors(lab.ttk({"input_dtypes": "('fp16', 'bf16')"}).cases[0]) == [
        ((2, 3), "float16"),
        ((2, 3), "bfloat16"),
    ]


def test_an_absent_optional_input(lab: Any) -> None:
    row = {"input_shapes": "((2, 3), None, (4,))", "input_dtypes": "('fp32', None, 'fp32')"}
    assert tensors(lab.ttk(row).cases[0]) == [((2, 3), "float32"), None, ((4,), "float32")]


def test_a_list_of_tensors_is_one_input(lab: Any) -> None:
    row = {"input_shapes": "(((2,), (3,)), (4,))", "input_dtypes": "(('fp16', 'fp32'), 'int8')"}
    case = lab.ttk(row).cases[0]
    assert [isinstance(slot, TensorSpec) for slot in case.inputs] == [False, True]
    assert tensors(case) == [((2,), "float16"), ((3,), "float32"), ((4,), "int8")]


def test_a_scalar_is_a_vector_of_one(lab: Any) -> None:
    case = lab.ttk({"input_shapes": "((),)", "output_shapes": "((),)"}).cases[0]
    assert (case.inputs[0].desc.shape, case.outputs[0].desc.shape) == ((1,), (1,))


def test_attributes_are_merged_and_internal_ones_left_out(lab: Any) -> None:
    row = {"attributes": "{'a': 1, '!x': 2}", "attributes1": "{'b': 3, '#y': 4}", "attributes9": "{'a': 5, '@z': 6}"}
    assert lab.ttk(row).cases[0].attrs == {"a": 5, "b": 3}


@pytest.mark.parametrize(
    ("words", "shapes", "attributes", "expected"),
    [
        ("ELEWISE", "((2, 3), (3,))", "", (2, 3)),
        ("('ELEWISE',)", "((4, 1), (1, 5))", "", (4, 5)),
        ("('REDUCE',)", "((2, 3, 4),)", "{'axes': [1]}", (2, 4)),
        ("REDUCE", "((2, 3, 4),)", "{'axis': -1, 'keep_dims': True}", (2, 3, 1)),
        ("REDUCE", "((2, 3, 4),)", "", (1,)),
    ],
)
def test_output_shapes_by_a_word(lab: Any, words: str, shapes: str, attributes: str, expected: tuple[int, ...]) -> None:
    row = {"input_shapes": shapes, "output_shapes": words, "attributes": attributes}
    assert lab.ttk(row).cases[0].outputs[0].desc.shape == expected


def test_ranges_with_values_that_must_occur(lab: Any) -> None:
    data = lab.ttk({"input_data_ranges": "((-1, 1, 0, float('inf')),)"}).cases[0].tensors[0].data
    assert (data.low, data.high, data.must_occur) == (-1, 1, (0, float("inf")))
    assert lab.ttk({"input_data_ranges": "(-3, 3)"}).cases[0].tensors[0].data.high == 3


def test_tolerances_of_each_output(lab: Any) -> None:
    row = {"precision_tolerances": "((0.1, 0.2),)", "absolute_precision": "0.5", "output_dtypes": "('fp32', 'fp16')"}
    case = lab.ttk(row).cases[0]
    assert (case.tolerances, case.absolute) == (((0.1, 0.2),) * 2, (0.5, 0.5))


@pytest.mark.parametrize(
    ("text", "shapes"),
    [("((512))", [(512,)]), ("(512,)", [(512,)]), ("(2, 3)", [(2, 3)]), ("[2, 3]", [(2, 3)]), ("((512,))", [(512,)])],
)
def test_numbers_alone_are_the_dims_of_one_tensor(lab: Any, text: str, shapes: list[tuple[int, ...]]) -> None:
    case = lab.ttk({"input_shapes": text, "output_shapes": text}).cases[0]
    assert [tuple(spec.desc.shape) for spec in case.tensors] == shapes
    assert [tuple(spec.desc.shape) for spec in case.outputs] == shapes


@pytest.mark.parametrize(
    ("ranges", "highs"),
    [
        ("((0, 1), (0, 2), (0, 3))", [1, 2]),  # more than inputs: the rest is never looked at
        ("((0, 1), (0, 2))", [1, 2]),
        ("(((0, 1),), ((0, 2),))", [1, 2]),  # of lists of tensors with one member
        ("(((0, 1),),)", [1, 1]),
        ("((0, 1), None)", [1, None]),
    ],
)
def test_ranges_of_two_inputs(lab: Any, ranges: str, highs: list[int | None]) -> None:
    row = {"input_shapes": "((2, 3), (2, 3))", "input_dtypes": "('fp32', 'fp32')", "input_data_ranges": ranges}
    assert [spec.data.high for spec in lab.ttk(row).cases[0].tensors] == highs


def test_an_input_without_a_range_has_the_default(lab: Any) -> None:
    row = {"input_shapes": "((2,), (3,), (4,))", "input_dtypes": "('fp32',)", "input_data_ranges": "((0, 1), (0, 2))"}
    assert [spec.data.high for spec in lab.ttk(row).cases[0].tensors] == [1, 2, None]


def test_ranges_of_a_list_of_tensors(lab: Any) -> None:
    row = {"input_shapes": "(((2,), (3,)), (4,))", "input_dtypes": "(('fp32', 'fp32'), 'fp32')"}
    nested = lab.ttk(row | {"input_data_ranges": "(((0, 1), (0, 2)), (0, 3))"}).cases[0]
    assert [spec.data.high for spec in nested.tensors] == [1, 2, 3]


@pytest.mark.parametrize(
    ("tolerances", "absolute"),
    [
        ("(((0.001, 0.001),),)", "((1e-8,),)"),
        ("(((0.001, 0.001), (0.001, 0.001)),)", "((1e-8, 1e-8),)"),
        ("((0.001, 0.001),)", "1e-8"),
    ],
)
def test_tolerances_of_a_list_of_tensors(lab: Any, tolerances: str, absolute: str) -> None:
    row = {"output_shapes": "(((2,), (3,)),)", "output_dtypes": "(('fp32', 'fp32'),)"}
    case = lab.ttk(row | {"precision_tolerances": tolerances, "absolute_precision": absolute}).cases[0]
    assert (case.tolerances, case.absolute) == (((0.001, 0.001),) * 2, (1e-8, 1e-8))


def test_data_type_aliases(lab: Any) -> None:
    aliases = {"fp16": "DT_FLOAT16", "fp32": "DT_FLOAT", "fp64": "DT_DOUBLE", "bf16": "DT_BF16"}
    aliases |= {"c32": "DT_COMPLEX32", "c64": "DT_COMPLEX64", "c128": "DT_COMPLEX128"}
    for alias, name in aliases.items():
        assert lab.ttk({"input_dtypes": f"({alias!r},)"}).cases[0].tensors[0].desc.dtype is DataType[name]


def test_a_row_switched_off_is_not_read_further(lab: Any) -> None:
    assert not lab.ttk({"is_enabled": "False", "input_shapes": "'whatever'"}).cases[0].is_enabled


@pytest.mark.parametrize(
    ("row", "column", "found"),
    [
        ({"input_shapes": "((2, 3)"}, "input_shapes", "not a Python literal"),
        ({"input_shapes": "((2, -1),)"}, "input_shapes", "(2, -1)"),
        ({"input_shapes": "((1,),) * 1025"}, "input_shapes", "1025 tensors"),
        ({"input_shapes": "((1,) * 201,)"}, "input_shapes", "201 dims"),
        ({"input_shapes": "((2**63,),)"}, "input_shapes", "2**63"),
        ({"input_shapes": "(((1,)*100000,)*100000)"}, "input_shapes", "more than 1000000 items"),
        ({"input_shapes": "((2, True),)"}, "input_shapes", "(2, True)"),
        ({"input_dtypes": "('int17',)"}, "input_dtypes", "int17"),
        ({"input_dtypes": "('fp16', 'fp16', 'fp16')", "input_shapes": "((1,), (2,))"}, "input_shapes", "2 entries"),
        ({"input_formats": "('XY',)"}, "input_formats", "XY"),
        ({"output_dtypes": ""}, "output_dtypes", "nothing"),
        ({"output_shapes": "REDUCES"}, "output_shapes", "REDUCES"),
        ({"output_shapes": "REDUCE", "attributes": "{'axis': 7}"}, "output_shapes", "(7,)"),
        ({"op_name": "scale_bais"}, "op_name", "scale_bais"),
        ({"attributes": "[1]"}, "attributes", "[1]"),
        ({"attributes": "{1: 2}"}, "attributes", "{1: 2}"),
        ({"attributes": "{'a': open('x')}"}, "attributes", "not a Python literal"),
        ({"soc_series": "('Ascend911',)"}, "soc_series", "Ascend911"),
        ({"input_data_ranges": "((2, 1),)"}, "input_data_ranges", "(2, 1)"),
        ({"input_data_ranges": "(('a', 'b'),)"}, "input_data_ranges", "('a', 'b')"),
        ({"precision_tolerances": "((1,),)"}, "precision_tolerances", "(1,)"),
        ({"absolute_precision": "'x'"}, "absolute_precision", "x"),
        ({"is_enabled": "maybe"}, "is_enabled", "maybe"),
        ({"manual_input_binaries": "('none.bin',)"}, "manual_input_binaries", "none.bin"),
        ({"output_inplace_indexes": "(3,)"}, "output_inplace_indexes", "3"),
    ],
)
def test_a_malformed_cell_is_named(lab: Any, row: dict[str, str], column: str, found: str) -> None:
    from cannery.st.case import CaseFileError

    with pytest.raises(CaseFileError) as caught:
        lab.ttk({}, row)
    error = caught.value
    assert (error.row, error.line, error.column) == (2, 3, column)
    assert found in error.found
    assert "\n" not in str(error) and error.file in str(error)

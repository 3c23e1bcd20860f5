"""Formats: CANN's numbers and spellings."""

import pytest

from cannery.core import Format


@pytest.mark.parametrize(
    ("name", "number"),
    [("NCHW", 0), ("NHWC", 1), ("ND", 2), ("NC1HWC0", 3), ("FRACTAL_Z", 4), ("FRACTAL_NZ", 29), ("NCDHW", 30),
     ("NDC1HWC0", 32), ("UNDEFINED", -1)],
)  # fmt: skip
def test_number_and_name_in_any_case_mean_the_same(name: str, number: int) -> None:
    meant = {Format.of(spelling) for spelling in (number, name, name.lower(), f"FORMAT_{name}", Format.of(number))}
    assert meant == {Format(number)}
    assert Format(number).short == name


def test_what_no_operator_takes_is_a_member_that_no_name_finds() -> None:
    assert [int(format) for format in Format] == list(range(-1, 54))
    assert Format.of(Format.FORMAT_CN) is Format.FORMAT_CN
    for spelling in (34, "CN", "FORMAT_CN"):
        with pytest.raises(ValueError, match="expected one of UNDEFINED, NCHW"):
            Format.of(spelling)


@pytest.mark.parametrize("wrong", ["NDX", "", None, 99, True, 2.0, ["ND"]])
def test_anything_else_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="format: found"):
        Format.of(wrong)

"""Cells are Python literals, and never code."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery.st.ttk.literals import parse_literal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(VALUES)
def test_what_python_writes_is_read_back(value: object) -> None:
    assert parse_literal(repr(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("((2, 3), None, (4,))", ((2, 3), None, (4,))),
        ("{'shape': [128], 'axis': -1}", {"shape": [128], "axis": -1}),
        ("2**31 - 1", 2**31 - 1),
        ("-2**-15", -(2**-15)),
        ("[1] * 3", [1, 1, 1]),
        ("(1, 2) + (3,)", (1, 2, 3)),
        ("float('inf')", math.inf),
        ('-float("inf")', -math.inf),
        ("-inf", -math.inf),
        ("np.inf", math.inf),
        ("7 % 4", 3),
        ("7 // 2", 3),
        ("ELEWISE", "ELEWISE"),
        ("(float16, 'int8')", ("float16", "int8")),
        ("torch.float16", "float16"),
        ("1 + 2j", 1 + 2j),
    ],
)
def test_more_than_literal_eval_reads(text: str, value: object) -> None:
    assert parse_literal(text) == value


def test_nan_in_its_spellings() -> None:
    assert all(math.isnan(parse_literal(text)) for text in ("nan", "float('nan')", "np.nan"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(1,",
        "__import__('os').system('true')",
        "open('x')",
        "().__class__",
        "[x for x in (1, 2)]",
        "lambda: 1",
        "1 if 2 else 3",
        "f'{1}'",
        "{**{}}",
        "10 ** 10 ** 10",
        "[0] * 10**9",
        "'%1000000000d' % 1",
        "1 / 0",
        "-'a'",
        "float('a')",
        "{[]: 1}",
        "(" * 500 + ")" * 500,
        "x == 1",
    ],
)
def test_code_and_nonsense_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_literal(text)


@pytest.mark.parametrize(
    "text",
    [
        "b'a' * 2000000000",
        "'a' * 2000000000",
        "(((1,) * 100000,) * 100000)",
        "((((1,) * 1000,) * 1000,) * 1000,)",
        "[(1,) * 900000, (1,) * 900000]",
        "(1,) * 900000 + (1,) * 900000",
        "tuple((1,) * 900000)",
        "100000 * [[0] * 100]",
        "2 ** 4000 * 2 ** 4000",
        "9" * 1300,
    ],
)
def test_a_value_that_would_take_the_memory_is_refused_before_it_is_made(text: str) -> None:
    with pytest.raises(ValueError, match=r"more than|items"):
        parse_literal(text)


def test_repetitions_of_a_usual_size_are_read() -> None:
    assert parse_literal("((128,) * 100 + (1,), [4096] * 1000)") == ((128,) * 100 + (1,), [4096] * 1000)
    assert parse_literal("(2,) * -1") == ()

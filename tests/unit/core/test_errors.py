"""The one error: its facts are attributes, its text one line, and it survives pickling."""

import pickle

from cannery.core import AtbStatus, OperatorError, Stage

ERROR = OperatorError(Stage.TILING, "PadWithHiddenState", "inTensor[0]", 5000, "at most 4096", AtbStatus(9))


def test_the_facts_are_attributes() -> None:
    facts = (ERROR.stage, ERROR.operator, ERROR.parameter, ERROR.found, ERROR.expected, ERROR.code)
    assert facts == (
        Stage.TILING,
        "PadWithHiddenState",
        "inTensor[0]",
        "5000",
        "at most 4096",
        AtbStatus.ERROR_INVALID_TENSOR_SIZE,
    )


def test_the_text_says_where_what_and_the_code() -> None:
    assert str(ERROR) == (
        "PadWithHiddenState: tiling: inTensor[0]: found 5000, expected at most 4096 [ERROR_INVALID_TENSOR_SIZE]"
    )


def test_it_is_a_value_error_and_pickles() -> None:
    again = pickle.loads(pickle.dumps(ERROR))
    assert isinstance(again, OperatorError) and issubclass(OperatorError, ValueError)
    assert str(again) == str(ERROR) and again.code is ERROR.code


def test_what_was_found_stays_on_one_line() -> None:
    error = OperatorError(Stage.CHECK, "Op", "x", "a\n  b", "c\nd", AtbStatus.ERROR_INVALID_PARAM)
    assert str(error) == "Op: check: x: found a b, expected c d [ERROR_INVALID_PARAM]"


def test_a_long_value_keeps_its_ends() -> None:
    error = OperatorError(Stage.CHECK, "Op", "x", list(range(10_000)), "less", AtbStatus.ERROR_INVALID_PARAM)
    assert error.found.startswith("[0, 1, 2") and error.found.endswith("9998, 9999]") and len(error.found) < 500


def test_stages_have_the_letters_of_case_files() -> None:
    assert "".join(stage.letter for stage in Stage) == "CISE"

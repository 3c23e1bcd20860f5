"""The headers that are made from tables."""

import re
from pathlib import Path

from cannery.ascendc.headers import generated, write
from cannery.ascendc.operations import HANDLERS
from cannery.ascendc.unsupported import FUNCTIONS
from cannery.isa.table import ROWS


def test_every_lanewise_row_has_its_function_and_its_handler() -> None:
    text = generated()["cannery/lanewise.h"]
    for op in ROWS:
        if op.form == "lanewise":
            assert f"void {op.page}(const LocalTensor<T> &dst" in text
            assert op.name in HANDLERS


def test_every_operation_that_the_headers_name_has_a_handler(tmp_path: Path) -> None:
    write(tmp_path)
    named = {
        name for path in tmp_path.rglob("*.h") for name in re.findall(r"Operation::(\w+)", path.read_text("utf-8"))
    } - {"operation"}
    assert named <= set(HANDLERS)


def test_no_function_is_refused_that_is_there(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "cannery/unsupported.h").unlink()
    there = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.h"))
    assert [name for name in FUNCTIONS if re.search(rf"void {name}\(const ", there)] == []

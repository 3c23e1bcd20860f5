"""The faces' records: each is found by its file, and what it refers to is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cannery import faces
from cannery.faces import Face, all_faces, resolve
from cannery.operator import find_operator

ROOT = Path(__file__).parents[2]
RECORD = """from cannery.faces import Face

FACE = Face(name="new", summary="a face more", packages={"new_stack": "cannery.new"}, runner="new call")
"""


def test_a_folder_with_a_record_is_a_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "face.py").write_text(RECORD, encoding="utf-8")
    monkeypatch.setattr(faces, "PACKAGE", tmp_path)
    all_faces.cache_clear()
    try:
        assert [face.folder for face in all_faces().values()] == [tmp_path / "new"]
        assert faces.substituted_packages() == {"new_stack": "cannery.new"}
    finally:
        all_faces.cache_clear()


def test_records_are_read_without_their_packages() -> None:
    program = (
        "import sys, cannery.activate\n"
        "from cannery.faces import all_faces\n"
        "assert all_faces()\n"
        "rooms = {face.folder.name for face in all_faces().values()}\n"
        "print(sorted(name for name in sys.modules if name == 'torch' or name.split('.')[-1] in rooms))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("face", all_faces().values(), ids=lambda face: face.name)
def test_a_record_refers_to_what_is_there(face: Face) -> None:
    command = face.example.split()
    program = next((word for word in command if word.startswith("examples/")), None)
    assert face.summary and command[0] in ("exec", "capi") and (program is None or (ROOT / program).is_file())
    assert bool(face.runner) == bool(face.spelling)
    if face.spelling:
        assert callable(resolve(face.spelling))


def test_a_call_is_spelled_by_the_faces_that_offer_the_operator() -> None:
    spelled = {name: face.spell(find_operator("UnpadWithHiddenState")) for name, face in all_faces().items()}
    assert spelled["atb"].startswith("torch_atb.Operation(torch_atb.UnpadWithHiddenStateParam(q_seq_len, ")
    assert spelled["aclnn"] == spelled["torch"] == spelled["asc"] == ""

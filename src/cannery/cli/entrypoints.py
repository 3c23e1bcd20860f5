"""How each entry point spells an operator."""

from __future__ import annotations

from cannery.faces import all_faces
from cannery.operator import Operator


def spellings(operator: Operator) -> list[tuple[str, str]]:
    """Pairs of an entry point and the call: Python's own, then the faces that offer the operator."""
    made = [(face.title or face.name, face.spell(operator)) for face in all_faces().values()]
    own = ("Python", f'cannery.run("{operator.name}", inputs, attrs)')
    return [own, *((title, text) for title, text in made if text)]

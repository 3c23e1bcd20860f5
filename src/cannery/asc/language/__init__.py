"""``asc.language``: the submodules scripts import types from."""

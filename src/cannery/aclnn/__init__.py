"""Two-phase calls under their C names. ``cannery exec`` makes it ``import aclnn``.

``aclnn<Op>GetWorkspaceSize(...) -> (status, workspace_size, executor)`` and ``aclnn<Op>(workspace, workspace_size,
executor, stream) -> status`` for every operator that has the face, and the objects they take. Arguments stand as in C,
with these differences: pointers and handles are ints, null is 0 or None, an array is a list (its length may follow, as
in C, or be left out), and what C returns through pointers follows the status: ``aclGetViewShape(tensor) -> (status,
dims)``. Reasons of failures are ``acl.get_recent_err_msg()``'s.

Source: hicann/opbase `include/nnopbase/aclnn/{acl_meta.h,aclnn_base.h}` @aa3cd74; the operators' sources are theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from cannery.aclnn import executor, object_calls
from cannery.aclnn.spelling import spelled
from cannery.aclnn.twophase import two_phase_calls
from cannery.runtime.call import Call, calls_of

OBJECT_CALLS: tuple[Call, ...] = (
    *calls_of(object_calls),
    *calls_of(executor),
    *executor.ADDRESS_CALLS,
)

globals().update({call.name: spelled(call) for call in OBJECT_CALLS})


def __getattr__(name: str) -> Callable[..., Any]:
    # Operators are found when the first of them is asked for: a third party's may be among them.
    call = two_phase_calls().get(name)
    if call is None:
        near = get_close_matches(name, two_phase_calls(), n=1) or sorted(two_phase_calls())
        raise AttributeError(f"module 'aclnn': found {name}, expected one of {', '.join(near)}")
    function = spelled(call)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *two_phase_calls()})

"""``ge.error``: the one exception of the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from cannery.core import GeStatus, OperatorError
from cannery.core.published import module_getattr

__all__ = ["GeError"]

# GE's error codes in text. Source: hicann/ge `graph_metadef/register/shape_inference.cc`,
# `api/session/client/ge_api.cc`, `runtime/v2/kernel/common_kernel_impl/infer_shape.cc` @ffdcbc9f.
INTERNAL = "E19999"
CALL_SEQUENCE = "E10062"
NO_INFER_FUNCTION = "EZ9999"

GRAPH_ID = "graph_id"
"""A fact of ``context`` that stands in the text."""


class GeError(RuntimeError):
    """A call that GE refuses. Source: hicann/ge `api/python/ge/ge/error.py` @ffdcbc9f; both codes are an addition.

    Attributes:
        error_message: what was found and what was expected.
        api_name: the function that was called.
        context: facts about where: ``graph_id``, ``graph``, ``node``, ``stage``, ``parameter``; those that apply.
        code: GE's status.
        text_code: GE's error code in text: E19999, E10062 (call sequence) or EZ9999 (no infer function).
    """

    def __init__(
        self,
        message: str,
        error_message: str | None = None,
        api_name: str | None = None,
        context: Mapping[str, Any] | None = None,
        *,
        code: IntEnum = GeStatus.FAILED,
        text_code: str = INTERNAL,
    ) -> None:
        super().__init__(message)
        self.error_message = message if error_message is None else error_message
        self.api_name = api_name or ""
        self.context = dict(context or {})
        self.code = code
        self.text_code = text_code

    def __str__(self) -> str:
        where = f"{self.api_name} failed; " if self.api_name else ""
        which = f"{GRAPH_ID}={self.context[GRAPH_ID]}; " if GRAPH_ID in self.context else ""
        return f"{where}{which}{self.text_code}: {self.error_message} [{self.code.name} {int(self.code)}]"

    @classmethod
    def of(cls, refusal: OperatorError, code: IntEnum, node: str = "") -> GeError:
        """An operator's refusal, with the code GE answers it with."""
        facts = {"node": node, "stage": refusal.stage.value, "parameter": refusal.parameter}
        where = f"node {node}: " if node else ""
        return cls(f"{where}{refusal}", context={key: value for key, value in facts.items() if value}, code=code)


@contextmanager
def calling(api_name: str, **context: Any) -> Iterator[None]:
    """Give every refusal inside the name of the function that was called, and facts about where; once."""
    try:
        yield
    except GeError as refusal:
        refusal.api_name = refusal.api_name or api_name
        refusal.context = {**context, **refusal.context}
        raise


__getattr__ = module_getattr("cannery.ge", "ge.error", "it is not of use without the original's library")

"""For which chip, and how faithfully, operators called through ``torch.ops`` run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cannery.soc import Soc
from cannery.soc import soc as find_soc


@dataclass(frozen=True)
class Target:
    """Chip and mode of a call.

    Attributes:
        soc: None for the operator's default chip.
        quirks: reproduce the originals' code where it is wrong or undefined.
    """

    soc: Soc | None = None
    quirks: bool = False


_current: ContextVar[Target] = ContextVar("cannery.pytorch.target", default=Target())  # noqa: B039 - it is frozen


def current_target() -> Target:
    """The target of the calls made here."""
    return _current.get()


@contextmanager
def target(soc: str | Soc | None = None, *, quirks: bool = False) -> Iterator[Target]:
    """Run the ``torch.ops.cann_ops_transformer`` calls of a block for a chip, or as the originals' code does.

    Example:
        >>> with target(cannery.soc("Ascend950", aic_cores=24)):
        ...     metadata = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata(...)

    Raises:
        UnknownSocError: no chip is called so.
    """
    token = _current.set(Target(None if soc is None else find_soc(soc), quirks))
    try:
        yield _current.get()
    finally:
        _current.reset(token)

"""For which chip, and how faithfully, operators called through ``torch.ops`` run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cannery.settings import Settings, current_settings, scoped
from cannery.soc import Soc


@contextmanager
def target(soc: str | Soc | None = None, *, quirks: bool | None = None) -> Iterator[Settings]:
    """Run the ``torch.ops.cann_ops_transformer`` calls of a block for a chip, or as the originals' code does.

    A session like any other: what is not set is inherited, and every entry point obeys it. Yields what then holds.

    Example:
        >>> with target(cannery.soc("Ascend950", aic_cores=24)):
        ...     metadata = torch.ops.cann_ops_transformer.dense_lightning_indexer_kl_loss_grad_metadata(...)

    Raises:
        UnknownSocError: no chip is called so.
        SettingError: ``quirks`` is no bool.
    """
    with scoped(soc=soc, quirks=quirks):
        yield current_settings()

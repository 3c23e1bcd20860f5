"""The chips: ``soc("Ascend950PR_9589")``."""

from cannery.soc.lookup import CoreLimitError, Soc, UnknownSocError, all_socs, soc

__all__ = ["CoreLimitError", "Soc", "UnknownSocError", "all_socs", "soc"]

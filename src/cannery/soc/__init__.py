"""The chips: ``soc("Ascend950PR_9589")``."""

from cannery.soc.lookup import Soc, UnknownSocError, all_socs, soc

__all__ = ["Soc", "UnknownSocError", "all_socs", "soc"]

"""C and C++ programs: headers with the original names, and a shared library that starts Python behind them."""

from cannery.capi.build import Built, CapiError, build

__all__ = ["Built", "CapiError", "build"]

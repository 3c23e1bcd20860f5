"""The CPU kernels: numba around one LLVM matrix tile. Imported only where ``cannery.ops._lightning_indexer.engine``
allows it."""

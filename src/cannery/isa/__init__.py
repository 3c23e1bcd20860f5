"""What instructions mean: one table, and functions on arrays and addresses.

Nothing here knows a kernel language: core, source line, tensors and counts are passed in. Each language reads its own
argument forms and calls the same functions.
"""

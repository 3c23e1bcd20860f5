"""Kernel case files of ops-test-kit: comma-separated, cells are Python literals."""

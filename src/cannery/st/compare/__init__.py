"""Comparison of outputs with goldens by published accuracy standards."""

from cannery.st.compare.atb import compare_atb
from cannery.st.compare.comparators import compare_by
from cannery.st.compare.route import Tolerance, route
from cannery.st.compare.verdict import StandardError, Verdict

__all__ = ["StandardError", "Tolerance", "Verdict", "compare_atb", "compare_by", "route"]

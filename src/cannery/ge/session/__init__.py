"""``ge.session``: sessions hold graphs and run them."""

from cannery.ge.error import GeError
from cannery.ge.session.session import Session

__all__ = ["GeError", "Session"]

"""``ge.session``: sessions hold graphs and run them."""

from cannery.ge.session.session import Session

__all__ = ["Session"]

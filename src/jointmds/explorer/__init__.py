"""One HTML page to explore a fit in: no server, no network."""

from ._page import Explorer, explore

__all__ = ["Explorer", "explore"]

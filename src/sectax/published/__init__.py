"""Studies that engineers published, as data: their tables as printed, and how well each fact about them is known."""

from sectax.published.reader import ids, load

__all__ = ["ids", "load"]

"""Why an archive, or a set of layers, is refused."""

from __future__ import annotations


class BadArchive(Exception):
    """The archive is refused; the message says why."""

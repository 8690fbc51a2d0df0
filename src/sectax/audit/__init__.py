"""Doubt: checks that a result must survive before it may be believed, one to a file, listed in `registry`."""

from sectax.audit.registry import checks, run

__all__ = ["checks", "run"]

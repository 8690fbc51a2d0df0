"""What can go wrong, with the words for the person who meets it."""

from __future__ import annotations


class LambdaLocalError(Exception):
    """What happened, and in `hint` what to try next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class WrongUse(LambdaLocalError):
    """A setting that cannot be."""


class SetUpFailed(LambdaLocalError):
    """A runtime is missing here, or could not be installed."""

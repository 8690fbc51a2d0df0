"""Errors with a hint for the user."""

from __future__ import annotations


class LambdaLocalError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class WrongUse(LambdaLocalError):
    """An invalid setting."""


class SetUpFailed(LambdaLocalError):
    """A runtime is missing or could not be installed."""

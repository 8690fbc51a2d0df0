"""The two ordinary answers besides `ok`, raised from wherever they are found out."""


class Skipped(Exception):
    """This cannot be had here; `hint` is the command that would change that, or empty."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Failed(Exception):
    """What was asked went wrong, or should not have been asked."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

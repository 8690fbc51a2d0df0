"""Why something is not available here, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WhyNot:
    """A reason in words, and a hint.

    Attributes:
        reason: what is missing or forbidden, as the end of a sentence ('podman is not installed').
        hint: the command or step that fixes it; empty where there is none.
    """

    reason: str
    hint: str = ""

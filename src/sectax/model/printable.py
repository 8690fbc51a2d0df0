"""Text that a subject wrote, made safe for a terminal."""

from __future__ import annotations

_ELLIPSIS = "…"


def printable(text: bytes | str, limit: int | None = None) -> str:
    """Make untrusted text safe to show on one line.

    Everything that could steer a terminal or deceive a reader is escaped with a backslash: control characters
    (line breaks too), bytes that are no UTF-8, unpaired surrogates, and invisible characters such as those that
    turn the direction of writing.

    Args:
        text: what a subject wrote.
        limit: the most characters to give back; the beginning is kept and the cut is shown. None for no limit.
    """
    decoded = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    if limit is not None and len(decoded) > limit:
        decoded = decoded[:limit] + _ELLIPSIS
    safe = decoded if decoded.isprintable() else "".join(map(_escaped, decoded))
    # Escapes make it longer, so it is cut once more.
    return safe if limit is None or len(safe) <= limit + 1 else safe[:limit] + _ELLIPSIS


def printable_lines(text: str) -> str:
    """As `printable`, but line breaks stay."""
    return "\n".join(printable(line) for line in text.splitlines())


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")

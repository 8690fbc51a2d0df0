"""Text made safe for a terminal, and ASCII forms of sectax's own signs."""

from __future__ import annotations

_ELLIPSIS = "…"
# What sectax itself prints beyond ASCII.
_SIGNS = {
    "±": "+/-", "−": "-", "–": "-", "—": "-", "·": "|", "…": "...", "→": "->", "×": "x", "÷": "/", "µ": "u", "μ": "u",
    "≤": "<=", "≥": ">=", "∞": "inf", "√": "sqrt ", "²": "^2", "†": "*", "└": "`", "│": "|", "\u00a0": " ",
    "\u202f": " ", "’": "'", "‘": "'",
    # Characters of drawn intervals.
    "►": ">", "◄": "<", "■": "#", "○": "o", "◆": "*", "░": ".", "┊": ":", "─": "-", "├": "[", "┤": "]", "┼": "+",
}  # fmt: skip


def printable(text: bytes | str, limit: int | None = None) -> str:
    """Make untrusted text safe to show on one line.

    Everything that could control a terminal or deceive a reader is escaped with a backslash: control characters
    (line breaks too), bytes that are not UTF-8, unpaired surrogates, and invisible characters such as those that
    turn the direction of writing.

    Args:
        text: text written by a subject.
        limit: maximum number of characters; the beginning is kept and the cut is shown. None for no limit.
    """
    decoded = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    if limit is not None and len(decoded) > limit:
        decoded = decoded[:limit] + _ELLIPSIS
    escaped = (sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in decoded)
    safe = decoded if decoded.isprintable() else "".join(escaped)
    # Escapes lengthen the text, so it is cut again.
    return safe if limit is None or len(safe) <= limit + 1 else safe[:limit] + _ELLIPSIS


def printable_lines(text: str) -> str:
    """As `printable`, but line breaks are kept."""
    return "\n".join(printable(line) for line in text.splitlines())


def in_ascii(text: str) -> str:
    """sectax's own signs as ASCII, anything else as its number (`\\u4e2d`)."""
    return text if text.isascii() else "".join(map(_sign, text))


def _sign(sign: str) -> str:
    return sign if sign.isascii() else _SIGNS.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii")

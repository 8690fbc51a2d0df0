"""Text made fit for a terminal: what a subject wrote is made safe, and our own signs have a form in ASCII."""

from __future__ import annotations

_ELLIPSIS = "…"
# What sectax itself prints beyond ASCII.
_SIGNS = {
    "±": "+/-", "−": "-", "–": "-", "—": "-", "·": "|", "…": "...", "→": "->", "×": "x", "÷": "/", "µ": "u", "μ": "u",
    "≤": "<=", "≥": ">=", "∞": "inf", "√": "sqrt ", "²": "^2", "†": "*", "└": "`", "│": "|", "\u00a0": " ",
    "\u202f": " ", "’": "'", "‘": "'",
    # Of intervals that are drawn.
    "►": ">", "◄": "<", "■": "#", "○": "o", "◆": "*", "░": ".", "┊": ":", "─": "-", "├": "[", "┤": "]", "┼": "+",
}  # fmt: skip


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
    escaped = (sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in decoded)
    safe = decoded if decoded.isprintable() else "".join(escaped)
    # Escapes make it longer, so it is cut once more.
    return safe if limit is None or len(safe) <= limit + 1 else safe[:limit] + _ELLIPSIS


def printable_lines(text: str) -> str:
    """As `printable`, but line breaks stay."""
    return "\n".join(printable(line) for line in text.splitlines())


def in_ascii(text: str) -> str:
    """Our own signs as ASCII, anything else as its number (`\\u4e2d`)."""
    return text if text.isascii() else "".join(map(_sign, text))


def _sign(sign: str) -> str:
    return sign if sign.isascii() else _SIGNS.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii")

"""Text in ASCII, for terminals, fonts and locales that have nothing else."""

from __future__ import annotations

# What sectax itself prints beyond ASCII.
_SIGNS = {
    "±": "+/-", "−": "-", "–": "-", "—": "-", "·": "|", "…": "...", "→": "->", "×": "x", "÷": "/", "µ": "u", "μ": "u",
    "≤": "<=", "≥": ">=", "∞": "inf", "√": "sqrt ", "²": "^2", "†": "*", "└": "`", "│": "|", "\u00a0": " ",
    "\u202f": " ", "’": "'", "‘": "'",
    # Of intervals that are drawn.
    "►": ">", "◄": "<", "■": "#", "○": "o", "◆": "*", "░": ".", "┊": ":", "─": "-", "├": "[", "┤": "]", "┼": "+",
}  # fmt: skip


def in_ascii(text: str) -> str:
    """Our own signs as ASCII, anything else as its number (`\\u4e2d`)."""
    return text if text.isascii() else "".join(map(_sign, text))


def _sign(sign: str) -> str:
    return sign if sign.isascii() else _SIGNS.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii")

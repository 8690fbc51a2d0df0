"""Removal of characters added by pasting: colours, HTML, unusual blanks."""

from __future__ import annotations

import html
import re

# Colours, cursor movements, titles and links of terminals. Remains in a log viewer that dropped the escape character
# are ambiguous, and stay.
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78cDEHM])"
)
_OVERWRITTEN = re.compile(r"[^\n]\x08")
_BLANKS = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000, 0x0B, 0x0C], " ")
_NOTHING = dict.fromkeys([0xAD, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF])
# A pattern is several times as fast as `str.translate`.
_ODD = re.compile(f"[{''.join(map(chr, _BLANKS | _NOTHING))}]")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|micro|plusmn|hellip|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_BREAK = re.compile(r"[ \t]*+<(?:br[ \t]*/?|/div|/p|/li)>", re.IGNORECASE)
# Tags without which the text is the same. JMH prints '<failure>', ab '<$Revision$>': only these are removed.
_TAG = re.compile(
    r"</?(?:pre|code|samp|tt|p|div|span|font|strong|em|blockquote|details|summary|table|tbody|tr|td|li|ul)"
    r"(?:\s[^<>\n]{0,500})?/?>",
    re.IGNORECASE,
)


# Markdown's; JMH's '*** WARNING' is not.
_BOLD = re.compile(r"(?<![*\w])\*\*(?=[^\s*])([^*\n]{1,200})(?<=[^\s*])\*\*(?![*\w])")


def plain(text: str) -> str:
    """Remove terminal codes, HTML tags and entities, bold and odd blanks.

    The end of a line or block of HTML that text follows gives a new line.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    if "\x08" in text:
        text = _OVERWRITTEN.sub("", text)
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(_line_break, text))
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    # After the entities: some of them are blanks.
    return with_blanks(text)


def with_blanks(text: str) -> str:
    """The text with ordinary blanks only, and without zero-width characters."""
    if text.isascii() and "\x0b" not in text and "\x0c" not in text:
        return text
    return _ODD.sub(lambda match: " " if ord(match[0]) in _BLANKS else "", text)


def _line_break(match: re.Match[str]) -> str:
    return "" if match.string[match.end() : match.end() + 1] in ("\n", "") else "\n"

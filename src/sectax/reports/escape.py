"""Escaping of untrusted text from commands, probes and foreign run files.

Terminals obey control characters, Markdown reads pipes and brackets, spreadsheets run formulas.
"""

from __future__ import annotations

import re

from sectax.text.printable import printable

# Markdown syntax inside a line (backslash escapes: CommonMark 2.4). An underscore inside a word means nothing, nor do
# round brackets without square ones.
_MARKDOWN = re.compile(r"([\\`*\[\]<>|~$&#]|(?<!\w)_|_(?!\w))")
# At the start of a line these would begin a list, a rule, or underline a heading.
_MARKDOWN_START = re.compile(r"^(\s*)(\d+(?=[.)](?:\s|$))|(?=[-+=]))")
# Spreadsheets run cells that begin with these as formulas (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def markdown(text: str) -> str:
    """Text that Markdown shows as it is inside a line, also in a table."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def markdown_block(text: str) -> str:
    """Text that Markdown shows as it is, also where it begins a line."""
    # '1.' begins a list; the digit cannot be escaped, what follows it can.
    return _MARKDOWN_START.sub(r"\1\2\\", markdown(text))


def cell(text: str) -> str:
    """Text for one CSV cell that no spreadsheet runs as a formula."""
    safe = printable(text)
    return f"'{safe}" if safe.startswith(_FORMULA) else safe

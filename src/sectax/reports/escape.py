"""Untrusted text made harmless for the place where it is printed.

Labels, reasons and witnesses come from commands, probes and run files of others. Terminals obey control characters,
Markdown reads pipes and brackets, spreadsheets run formulas.
"""

from __future__ import annotations

import re

from sectax.text.printable import printable

# What Markdown gives a meaning to inside a line. Backslash escapes of ASCII punctuation are CommonMark, 2.4. An
# underscore inside a word has none, and round brackets only after square ones.
_MARKDOWN = re.compile(r"([\\`*\[\]<>|~$&#]|(?<!\w)_|_(?!\w))")
# At the start of a line these would begin a list, a rule, or underline a heading.
_MARKDOWN_START = re.compile(r"^(\s*)(\d+(?=[.)](?:\s|$))|(?=[-+=]))")
# A spreadsheet takes a cell that begins so for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def markdown(text: str) -> str:
    """Text that Markdown shows as it is inside a line, also in a table."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def markdown_block(text: str) -> str:
    """Text that Markdown shows as it is, also where it begins a line."""
    # '1.' begins a list; the digit cannot be escaped, what follows it can.
    return _MARKDOWN_START.sub(r"\1\2\\", markdown(text))


def cell(text: str) -> str:
    """Text for one CSV cell that no spreadsheet takes for a formula."""
    safe = printable(text)
    return f"'{safe}" if safe.startswith(_FORMULA) else safe

"""The REPORT line with which AWS Lambda ends an invocation.

Docs: docs.aws.amazon.com/lambda/latest/dg, 'Viewing logs'.
"""

from __future__ import annotations

import re

from sectax.formats.numbers import match_number

BEGINS = "REPORT RequestId:"

# Memory is in powers of two: 1024 MB are a GB, the maximum is 10240.
_MB = 2.0**20
# Name -> its pattern, and the seconds or bytes of its unit.
_FIELDS = {
    "duration": (re.compile(r"(?<!Billed )(?<!Init )(?<!Restore )Duration: (\S+) ms"), 1e-3),
    "billed": (re.compile(r"Billed Duration: (\S+) ms"), 1e-3),
    "init": (re.compile(r"(?<!Billed )Init Duration: (\S+) ms"), 1e-3),
    "memory": (re.compile(r"Memory Size: (\S+) MB"), _MB),
    "restore": (re.compile(r"(?<!Billed )Restore Duration: (\S+) ms"), 1e-3),
    "restore_billed": (re.compile(r"Billed Restore Duration: (\S+) ms"), 1e-3),
    "used": (re.compile(r"Max Memory Used: (\S+) MB"), _MB),
}


def report_fields(text: str, begin: int = 0, line: int | None = None) -> dict[str, float]:
    """Fields of a REPORT line in seconds and bytes.

    They are duration, billed, init, memory (its size), restore, restore_billed and used (the maximum).

    Args:
        text: text with one REPORT, which begins at *begin*.
        line: its line number in a file, for the message.
    Raises:
        BadInput: one of them is not a finite number of 0 or more.
    """
    matches = ((name, pattern.search(text, begin), scale) for name, (pattern, scale) in _FIELDS.items())
    return {name: match_number(match, 1, line, scale) for name, match, scale in matches if match is not None}

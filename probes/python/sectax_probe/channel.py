"""Lines in, lines out, and nothing but protocol on stdout."""

from __future__ import annotations

import io
import os
import sys
from typing import BinaryIO

# PROTOCOL.md: a line is at most 16 MiB.
MAX_LINE_BYTES = 16 * 1024 * 1024


class LineTooLong(Exception):
    """A line was longer than the protocol allows; it has been read past."""


class Channel:
    """Reads requests from one binary stream and writes replies to another."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO | io.RawIOBase) -> None:
        self._requests = requests
        self._replies = replies

    @classmethod
    def over_stdio(cls) -> Channel:
        """Take stdout for the replies alone; what anything else prints, even from C, lands on stderr."""
        replies = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        return cls(sys.stdin.buffer, replies)

    def read(self) -> bytes:
        """Give back the next line, empty at the end.

        Raises:
            LineTooLong: the line is over `MAX_LINE_BYTES`; the next read starts after it.
        """
        line = self._requests.readline(MAX_LINE_BYTES + 1)
        if len(line) <= MAX_LINE_BYTES:
            return line
        while line and not line.endswith(b"\n"):
            line = self._requests.readline(MAX_LINE_BYTES)
        raise LineTooLong

    def write(self, line: bytes) -> None:
        """Send one line; it is out when this returns.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        left = memoryview(line + b"\n")
        while left:
            left = left[self._replies.write(left) or 0 :]

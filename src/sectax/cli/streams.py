"""Make stdin, stdout and stderr usable, whatever this process was started with."""

from __future__ import annotations

import codecs
import os
import sys
from typing import TextIO, cast

from sectax.text.printable import in_ascii

_HANDLER = "sectax-ascii"


class Printed(Exception):
    """Marks an error after the document was printed: stdout gets no second one."""


def make_usable(*, utf8: bool) -> None:
    """Open what is closed, and replace on output what its encoding lacks.

    A closed descriptor would be given to the next file that is opened, and what is printed would go into that file. So
    it leads nowhere instead, as in other programs of this kind (Rust's, such as hyperfine and ripgrep, do the same).

    Args:
        utf8: print UTF-8 on stdout whatever the locale says: it is a document for a program.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor, which is this one
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")
    codecs.register_error(_HANDLER, _replaced)
    # Python prints UTF-8 in the C locale too, whose terminals show ASCII.
    named = ("PYTHONIOENCODING", "LC_ALL", "LC_CTYPE", "LANG")
    locale = next((value for name in named if (value := os.environ.get(name))), "")
    encoding = "ascii" if locale in ("C", "POSIX") else None
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=encoding, errors=_HANDLER)
    if utf8 and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")


def forget_reader(descriptor: int = 1) -> None:
    """Discard output after the reader closed the pipe: it cannot be flushed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _stream(descriptor: int, mode: str) -> TextIO:
    return cast(TextIO, os.fdopen(descriptor, mode, closefd=False))


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Error handler: our own signs in ASCII, other characters as escapes (`\\u4e2d`)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return in_ascii(error.object[error.start : error.end]), error.end

"""Reading of imported files with a deadline and bounded memory."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import re
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from sectax.formats.bad_input import BadInput
from sectax.model.errors import WrongUse
from sectax.text.printable import printable

# Limit of what is read as a whole. A file of ten thousand hyperfine runs has 1 MiB.
MOST_BYTES = 64 * 2**20
_LONGEST_LINE = 2**20
_PORTION_BYTES = 2**20
_HEAD_BYTES = 2**16
_REPLACED = "\ufffd"
_SQLITE = b"SQLite format 3\x00"
# Single bytes where the terminal is not UTF-8: JMH's 12.3 ± 0.4, and microseconds.
_SIGNS, _LENIENT = "sectax-signs", "sectax-signs-or-replaced"
_SIGNS_OF_LATIN = {0xB1: "±", 0xB5: "µ"}
# Share of a text's bytes that may be invalid UTF-8: a few are in a name or a message, and are replaced; with more it
# is not text.
_MOST_UNREADABLE = 0.02

# Files of the largest size take a few seconds; several times that on a busy machine.
DEADLINE_S, DEADLINE_S_PER_MIB = 60.0, 2.0

_KINDS = (
    (stat.S_ISDIR, "a directory", "name a file in it"),
    (stat.S_ISFIFO, "a pipe", "write what comes out of it to a file first"),
    (stat.S_ISSOCK, "a socket", "name a file"),
    (stat.S_ISCHR, "a device", "name a file"),
    (stat.S_ISBLK, "a device", "name a file"),
)
_OTHER_KINDS = (
    (b"%pdf", "a PDF", "copy its table into a CSV file, or its text into a text file"),
    (b"<!doctype html", "an HTML page", "copy its table into a CSV file, or the output that it shows into a text file"),
    (b"<html", "an HTML page", "copy its table into a CSV file, or the output that it shows into a text file"),
    (b"<table", "a table of HTML", "paste it into a spreadsheet, and save its sheet as CSV"),
    (b"pk\x03\x04", "a spreadsheet or another ZIP archive", "save its sheet as CSV"),
    (b"\x1f\x8b", "compressed (gzip)", "gunzip it first"),
    (b"\x89png", "an image", "type its numbers into a CSV file"),
    (b"\xff\xd8\xff", "an image", "type its numbers into a CSV file"),
)
# Reports of sectax as HTML, JSON, CSV and Markdown: their figures are of many blocks, which a table hides.
_OWN_REPORT = re.compile(
    rb"""\A\s*\{\s*"schema":\s*"sectax/"""
    rb"""|\Arun,experiment,comparison,"""
    rb"""|^<meta\ name="generator"\ content="sectax">"""
    rb"""|^\#\#\ (?:Self-check|The\ run's\ check\ of\ itself)$""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True)
class InputFile:
    """An open regular file, and its beginning.

    Attributes:
        unreadable: invalid bytes in the part that was read as a whole, and their places; empty where there are none.
    """

    raw: BinaryIO
    head: bytes
    size: int
    unreadable: list[str] = field(default_factory=list)

    @property
    def is_database(self) -> bool:
        """Whether it is a run file, whole or damaged."""
        return self.head.startswith(_SQLITE)

    @property
    def is_in_head(self) -> bool:
        """Whether the file is no longer than its beginning."""
        return len(self.head) < _HEAD_BYTES

    def head_text(self) -> str:
        """Whole lines of the beginning. Raises `BadInput` where it is not text."""
        if self.is_in_head:
            return _decoded(self.head, unreadable=[])
        if (wide := _utf16_order(self.head)) is not None:
            text = self.head[: len(self.head) // 2 * 2].decode(wide, errors="ignore")
            return _whole_lines(text.removeprefix("\ufeff"))
        # A character may be cut in two at the end of the head: at most three of its bytes are lost.
        whole = self.head[: self.head.rfind(b"\n") + 1] or self.head[: _last_character(self.head)]
        return _decoded(whole, unreadable=[])

    def text(self) -> str:
        """The whole text. Raises `BadInput` where it is too large or not text."""
        self.raw.seek(0)
        content = self.raw.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise BadInput(
                f"it has over {MOST_BYTES >> 20} MiB, which is too much for one audit",
                "give fewer runs, or write the values as CSV, which may be larger",
            )
        return _decoded(content, unreadable=self.unreadable)

    def lines(self) -> Iterator[str]:
        """Lines without their ends. Raises `BadInput` where one is too long or not text."""
        if _utf16_order(self.head) is not None:
            yield from self.text().removesuffix("\n").split("\n")
            return
        self.raw.seek(0)
        offset = before = 0
        # Whole lines in large portions: one call for each line would take most of the time.
        while portion := self.raw.read(_PORTION_BYTES):
            rest = b"" if portion.endswith(b"\n") else self.raw.readline(_LONGEST_LINE)
            if len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                line = before + portion.count(b"\n") + 1
                raise BadInput(
                    f"longer than {_LONGEST_LINE >> 20} MiB", "name a text file with shorter lines", line=line
                )
            lines = _decoded(portion + rest, offset, before).split("\n")
            if not lines[-1]:
                lines.pop()
            yield from lines
            offset += len(portion) + len(rest)
            before += len(lines)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[InputFile]:
    """Open a non-empty regular file without waiting. Raises `WrongUse` for others."""
    name = printable(str(path))
    try:
        # A pipe without a writer would block an ordinary open for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        raise _not_opened(path, name, error) from error
    # Python refuses to open a folder as a file, so the descriptor is checked first, and closed in any case.
    with contextlib.ExitStack() as resources:
        resources.callback(os.close, descriptor)
        mode = os.fstat(descriptor).st_mode
        for is_kind, what, hint in _KINDS:
            if is_kind(mode):
                raise WrongUse(f"{name} is {what}, not a file of numbers", hint)
        raw = resources.enter_context(open(descriptor, "rb", closefd=False))
        try:
            head = raw.read(_HEAD_BYTES)
        except OSError as error:
            raise WrongUse(f"{name} cannot be read: {error.strerror}") from error
        if not head:
            raise WrongUse(f"{name} is empty", "give the output of a finished run")
        _refuse_other_kinds(name, head)
        yield InputFile(raw, head, os.fstat(descriptor).st_size)


def _not_opened(path: Path, name: str, error: Exception) -> WrongUse:
    code = error.errno if isinstance(error, OSError) else errno.EINVAL
    if code == errno.ENOENT and path.is_symlink():
        return WrongUse(f"{name} is a link to {printable(os.readlink(path))}, which does not exist", "fix the link")
    if code == errno.ENXIO:
        return WrongUse(f"{name} is a socket, not a file of numbers", "name a file")
    why = {
        errno.ENOENT: "does not exist",
        errno.EACCES: "cannot be read: permission denied",
        errno.ELOOP: "is a link that leads to itself",
        errno.ENOTDIR: "does not exist: a part of its path is not a folder",
        errno.ENAMETOOLONG: "has too long a name",
    }.get(code or 0, f"cannot be opened: {error}")
    return WrongUse(f"{name} {why}", "a target is a run file, published:ID, or a file of numbers")


def _decoded(content: bytes, offset: int = 0, before: int = 0, unreadable: list[str] | None = None) -> str:
    """Decode UTF-8 or UTF-16, without the byte order mark and with uniform line ends.

    *offset* bytes and *before* lines precede the content. Windows PowerShell's '>' writes UTF-16. Where *unreadable* is
    given, a few invalid bytes are replaced, and noted there.
    """
    wide = _utf16_order(content) if offset == 0 else None
    try:
        text = content.decode(wide or "utf-8", errors=_SIGNS if wide is None else "strict")
    except UnicodeDecodeError as error:
        taken_for = "UTF-8" if wide is None else "UTF-16"
        what = f"byte {offset + error.start} (0x{content[error.start]:02x}) is not {taken_for}"
        line = before + content.count(b"\n", 0, error.start) + 1
        text = content.decode(wide or "utf-8", errors=_LENIENT if wide is None else "replace")
        if wide is None and b"\0" in content:
            raise BadInput("it is not a text file", "name the text or table that the tool wrote") from error
        if unreadable is None or text.count(_REPLACED) > _MOST_UNREADABLE * len(content):
            raise BadInput(what, "name a text file, or convert it to UTF-8 (iconv)", line=line) from error
        unreadable.append(f"line {line}: {what}")
    if offset == 0:
        # A file that was truncated while a program wrote into it begins with as many zeros as it had bytes.
        text = text.removeprefix("\ufeff").lstrip("\0")
    if "\0" in text:
        at = text.index("\0")
        line = before + text.count("\n", 0, at) + 1
        raise BadInput("a NUL byte", "name a text file", line=line, column=at - text.rfind("\n", 0, at))
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _utf16_order(content: bytes) -> str | None:
    """UTF-16 byte order, from its mark or from an ASCII beginning with zero bytes."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    first = content[:64]
    for odd, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(first) >= 16 and not any(first[odd::2]) and all(first[1 - odd :: 2]):
            return encoding
    return None


def _whole_lines(text: str) -> str:
    return text[: text.rfind("\n") + 1].replace("\r\n", "\n").replace("\r", "\n") or text


def _sign(error: UnicodeError) -> tuple[str, int]:
    """Decode Western European signs that benchmarks print; other bytes stay errors."""
    if isinstance(error, UnicodeDecodeError) and error.object[error.start] in _SIGNS_OF_LATIN:
        return _SIGNS_OF_LATIN[error.object[error.start]], error.start + 1
    raise error


def _lenient(error: UnicodeError) -> tuple[str, int]:
    """As `_sign`, with a replacement for anything else."""
    try:
        return _sign(error)
    except UnicodeDecodeError as other:
        return _REPLACED, other.start + 1


codecs.register_error(_SIGNS, _sign)
codecs.register_error(_LENIENT, _lenient)


def _last_character(content: bytes) -> int:
    """Start of the last character, which may be incomplete."""
    for back in range(1, 4):
        if content[-back] & 0b1100_0000 != 0b1000_0000:
            return len(content) - back
    return len(content)


@contextlib.contextmanager
def standard_input() -> Iterator[InputFile]:
    """Read standard input to its end.

    Raises:
        WrongUse: nothing is piped, or it is empty.
        BadInput: it is too large.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise WrongUse("nothing is piped into standard input", "COMMAND | sectax audit -")
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadInput(f"over {MOST_BYTES >> 20} MiB on standard input", "write it to a file")
    if not content:
        raise WrongUse("standard input is empty", "give the output of a finished run")
    head = content[:_HEAD_BYTES]
    _refuse_other_kinds("standard input", head)
    yield InputFile(io.BytesIO(content), head, len(content))


def _refuse_other_kinds(name: str, head: bytes) -> None:
    """Raise `WrongUse` for file types that often contain numbers but are not text."""
    if _OWN_REPORT.search(head) is not None:
        raise WrongUse(f"{name} is a report of sectax", "audit the run file that it was made of (*.sectax)")
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:64].lower()
    for magic, what, hint in _OTHER_KINDS:
        # A page that shows what a program printed is read.
        if begins.startswith(magic) and not (magic.startswith(b"<") and b"<pre" in head):
            raise WrongUse(f"{name} is {what}", hint)


@contextlib.contextmanager
def deadline(content_bytes: int) -> Iterator[None]:
    """Raise `BadInput` in the body once it takes far longer than the size explains.

    Only the main thread can be interrupted; in others there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds = DEADLINE_S + DEADLINE_S_PER_MIB * content_bytes / 2**20

    def over(_: int, __: FrameType | None) -> NoReturn:
        raise BadInput(
            f"it was not audited within {seconds:.0f} s, and its size does not explain that",
            "audit a part of it; on a machine that is busy with other things, try again later",
        )

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

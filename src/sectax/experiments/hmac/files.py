"""Shared keys, signed events and their verification, as files. A key comes from a file or the environment."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from sectax.experiments.hmac import events
from sectax.model.errors import WrongUse
from sectax.parts import files

KEY_BYTES = 64
_SHORTEST_KEY_BYTES = 32  # as long as the hash of HMAC-SHA-256
_LONGEST_KEY_FILE_BYTES = 64 * 1024
_KIB, _MIB = 1024, 1024 * 1024
# The study's own (published:hmac-lambda-2023).
PUBLISHED_SIZES = tuple(size * _KIB for size in (10, 50, 100, 500, 1024, 3072))
LARGEST_PAYLOAD_BYTES = 64 * _MIB


@dataclass(frozen=True)
class Written:
    """A file that was written. `payload_bytes` is the size of the binary field, where there is one."""

    path: str
    bytes: int
    payload_bytes: int | None = None

    @property
    def fits_invocation(self) -> bool:
        """Whether Lambda takes it in one synchronous invocation."""
        return self.bytes <= events.LARGEST_EVENT_BYTES


def new_key() -> str:
    """64 random bytes in URL-safe Base64."""
    return secrets.token_urlsafe(KEY_BYTES)


def write_key(path: Path, *, force: bool) -> Written:
    """Write a new key where only this user can read it."""
    # With no end of line: whoever reads the file whole has the key.
    return write(path, new_key().encode(), force=force, private=True)


def shared_key(path: str | None, environment: Mapping[str, str]) -> bytes:
    """The key in the file, or else the one that SHARED_KEY or SHARED_KEY_FILE give, as they do to the function.

    Raises:
        WrongUse: there is none, or it cannot be read. No message holds any of it.
    """
    text = environment.get("SHARED_KEY")
    if path is None:
        path = environment.get("SHARED_KEY_FILE")
        if (text is None) == (path is None):
            raise WrongUse(
                "no shared key is given" if text is None else "both SHARED_KEY and SHARED_KEY_FILE are set",
                "name its file with --key-file, or set one of SHARED_KEY_FILE and SHARED_KEY (a new one: keygen)",
            )
    key = os.fsencode(text or "") if path is None else _read_key(path)
    if not key:
        raise WrongUse("the shared key is empty", "sectax hmac keygen makes one")
    return key


def key_warnings(
    path: str | None, environment: Mapping[str, str], key: bytes, *, descriptor: int | None = None
) -> list[str]:
    """Warnings about a shared key that was read. No sentence holds any of it.

    Args:
        path, environment: as they were given to `shared_key`.
        descriptor: the open file, where there is one: a path such as /dev/stdout is not everywhere.
    """
    warnings = []
    if len(key) < _SHORTEST_KEY_BYTES:
        warnings.append(
            f"the shared key has {len(key)} bytes: shorter than {_SHORTEST_KEY_BYTES} it can be guessed more easily "
            "than the token (RFC 2104, section 3); sectax hmac keygen makes one that is long enough"
        )
    path = path or environment.get("SHARED_KEY_FILE")
    if path is not None:
        with contextlib.suppress(OSError):
            status = os.stat(path if descriptor is None else descriptor)
            mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISREG(status.st_mode) and mode & 0o077:  # a terminal's mode says who may write to it
                warnings.append(
                    f"the key file {path} has mode {mode:03o}, so other users of this machine may read it; chmod 600 "
                    "keeps them out, and a new key makes sure"
                )
    return warnings


def _read_key(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(_LONGEST_KEY_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        if re.fullmatch(r"[\w+/=-]{40,}", path):  # then it is not repeated: logs keep what stands on stderr
            raise WrongUse(
                "what is given as the key's file is not a file, and looks like a key",
                "write it to a file of mode 600 and name that; make a new key if others can read this command line",
            ) from None
        why = error.strerror if isinstance(error, OSError) else error
        raise WrongUse(f"the key file {path} cannot be read: {why}", "sectax hmac keygen makes one") from error
    if len(content) > _LONGEST_KEY_FILE_BYTES:
        raise WrongUse(f"{path} is too large for a key", f"{_LONGEST_KEY_FILE_BYTES} bytes are the most")
    # An editor ends the last line; the key does not.
    return content.removesuffix(b"\n").removesuffix(b"\r")


def write_payloads(
    folder: Path, sizes: Sequence[int], *, variant: str, key: bytes, lifetime_s: float, force: bool
) -> Iterator[Written]:
    """Write an event for each size, in bytes of the binary field (zeros, as in the study), as SIZE.json.

    Args:
        lifetime_s: seconds from now to the expiry, for the variant that has one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"{folder} cannot be made: {error.strerror}", "name another folder with --out") from error
    expires = int(time.time() + lifetime_s) if variant == events.EXPIRY else None
    for size in dict.fromkeys(sizes):
        event = events.signed(variant, key, _new_salt(), events.payload(bytes(size), expires))
        content = msgspec.json.encode(event)
        written = write(folder / f"{size_label(size)}.json", content, force=force)
        yield Written(written.path, written.bytes, size)


def size_label(size: int) -> str:
    """`10KiB` for 10240."""
    for unit, name in ((_MIB, "MiB"), (_KIB, "KiB")):
        if size % unit == 0:
            return f"{size // unit}{name}"
    return f"{size}B"


def signed_event(data_path: str, *, variant: str, key: bytes, salt: str | None) -> bytes:
    """The signed event as JSON, for the text in a file (`-` for stdin), every byte of it."""
    if salt is not None and not events.is_salt(salt):
        raise WrongUse(
            f"--salt is not a text of 1 to {events.LONGEST_SALT_BYTES} bytes", "leave it out for a random one"
        )
    data = _text(data_path)
    if variant == events.EXPIRY and not events.holds_expiry(data):
        raise WrongUse(
            f"--scheme {variant} signs an expiry that is part of the data, and these data hold none",
            f"sectax hmac payload --scheme {variant} makes data with an expiry, and signs them",
        )
    return msgspec.json.encode(events.signed(variant, key, salt or _new_salt(), data))


def refusal(event_path: str, *, variant: str, key: bytes) -> str:
    """Why the event in a file is refused; empty where it is genuine."""
    return events.refusal(variant, key, _read(event_path), time.time())


def _new_salt() -> str:
    return secrets.token_hex(events.SALT_BYTES)


def _text(path: str) -> str:
    try:
        return _read(path).decode()
    except UnicodeDecodeError as error:
        raise WrongUse(f"{path} is not UTF-8 text", "an event is JSON: encode binary data as Base64 first") from error


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise WrongUse(f"{path} cannot be read: {why}", "name a file, or - for stdin") from error


def write(path: Path, content: bytes, *, force: bool, private: bool = False) -> Written:
    """Write a new file, whole; over another one only with *force*, and then it takes its place at once."""
    try:
        if force:
            files.write_whole(path, content, private=private)
        else:
            files.write_new(path, content, private=private)
    except FileExistsError as error:
        raise WrongUse(f"{path} exists already", "name another with --out, or --force to replace it") from error
    except OSError as error:
        raise WrongUse(f"{path} cannot be written: {error.strerror}", "name another with --out") from error
    return Written(str(path), len(content))

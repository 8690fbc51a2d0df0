"""Files with shared keys and signed events."""

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
# The study's sizes (published:hmac-lambda-2023).
PUBLISHED_SIZES = tuple(size * _KIB for size in (10, 50, 100, 500, 1024, 3072))
LARGEST_PAYLOAD_BYTES = 64 * _MIB


@dataclass(frozen=True)
class Written:
    """A written file. `payload_bytes` is the size of the binary field, if any."""

    path: str
    bytes: int
    payload_bytes: int | None = None

    @property
    def fits_invocation(self) -> bool:
        """Whether one synchronous invocation of Lambda accepts it."""
        return self.bytes <= events.LARGEST_EVENT_BYTES


def new_key() -> str:
    """Return 64 random bytes in URL-safe Base64."""
    return secrets.token_urlsafe(KEY_BYTES)


def write_key(path: Path, *, force: bool) -> Written:
    """Write a new key that only this user can read."""
    # Without a newline: the whole file is the key.
    return write(path, new_key().encode(), force=force, private=True)


def shared_key(path: str | None, environment: Mapping[str, str]) -> bytes:
    """Read the key from the file, or SHARED_KEY or SHARED_KEY_FILE.

    Raises:
        WrongUse: no key, or it cannot be read. Messages never contain the key.
    """
    text = environment.get("SHARED_KEY")
    if path is None:
        path = environment.get("SHARED_KEY_FILE")
        if (text is None) == (path is None):
            raise WrongUse(
                "no shared key is given" if text is None else "both SHARED_KEY and SHARED_KEY_FILE are set",
                "use --key-file, or set either SHARED_KEY_FILE or SHARED_KEY (keygen creates a key)",
            )
    key = os.fsencode(text or "") if path is None else _read_key(path)
    if not key:
        raise WrongUse("the shared key is empty", "create one with sectax hmac keygen")
    return key


def key_warnings(
    path: str | None, environment: Mapping[str, str], key: bytes, *, descriptor: int | None = None
) -> list[str]:
    """Return warnings about a shared key, without repeating it.

    Args:
        path, environment: the arguments of `shared_key`.
        descriptor: the open file, if any: a path such as /dev/stdout does not exist everywhere.
    """
    warnings = []
    if len(key) < _SHORTEST_KEY_BYTES:
        warnings.append(
            f"the shared key has {len(key)} bytes: under {_SHORTEST_KEY_BYTES} it is easier to guess than the token "
            "(RFC 2104, section 3); create one with sectax hmac keygen"
        )
    path = path or environment.get("SHARED_KEY_FILE")
    if path is not None:
        with contextlib.suppress(OSError):
            status = os.stat(path if descriptor is None else descriptor)
            mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISREG(status.st_mode) and mode & 0o077:  # a terminal's mode is about writing
                warnings.append(
                    f"the key file {path} has mode {mode:03o}, so other users may have read it; run chmod 600, and "
                    "consider a new key"
                )
    return warnings


def _read_key(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(_LONGEST_KEY_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        if re.fullmatch(r"[\w+/=-]{40,}", path):  # not repeated: logs keep stderr
            raise WrongUse(
                "the key file is not a file; it looks like a key",
                "write the key to a file of mode 600; create a new key if others can read this command line",
            ) from None
        why = error.strerror if isinstance(error, OSError) else error
        hint = "create one with sectax hmac keygen"
        raise WrongUse(f"the key file {path} cannot be read: {why}", hint) from error
    if len(content) > _LONGEST_KEY_FILE_BYTES:
        raise WrongUse(f"{path} is too large for a key", f"the maximum is {_LONGEST_KEY_FILE_BYTES} bytes")
    # Editors add a final newline.
    return content.removesuffix(b"\n").removesuffix(b"\r")


def write_payloads(
    folder: Path, sizes: Sequence[int], *, variant: str, key: bytes, lifetime_s: float, force: bool
) -> Iterator[Written]:
    """Write an event as SIZE.json for each size of its zeros in bytes.

    Args:
        lifetime_s: seconds from now to the expiry, for the variant with one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"{folder} cannot be created: {error.strerror}", "choose another folder with --out") from error
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
    """Return the signed event as JSON for the text in a file (`-` for stdin)."""
    if salt is not None and not events.is_salt(salt):
        raise WrongUse(
            f"--salt is not a text of 1 to {events.LONGEST_SALT_BYTES} bytes", "leave it out for a random one"
        )
    data = _text(data_path)
    if variant == events.EXPIRY and not events.holds_expiry(data):
        raise WrongUse(
            f"--scheme {variant} needs data with an expiry, and these have none",
            f"create signed data with an expiry: sectax hmac payload --scheme {variant}",
        )
    return msgspec.json.encode(events.signed(variant, key, salt or _new_salt(), data))


def refusal(event_path: str, *, variant: str, key: bytes) -> str:
    """Return why the event in a file is refused; empty if it is genuine."""
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
        raise WrongUse(f"{path} cannot be read: {why}", "give a file, or - for stdin") from error


def write(path: Path, content: bytes, *, force: bool, private: bool = False) -> Written:
    """Write a new file atomically; replace an existing one only with *force*."""
    try:
        if force:
            files.write_whole(path, content, private=private)
        else:
            files.write_new(path, content, private=private)
    except FileExistsError as error:
        raise WrongUse(f"{path} exists", "choose another with --out, or use --force to replace it") from error
    except OSError as error:
        raise WrongUse(f"{path} cannot be written: {error.strerror}", "choose another with --out") from error
    return Written(str(path), len(content))

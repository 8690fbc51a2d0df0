"""The commands `sectax hmac keygen|payload|sign|verify`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sectax.experiments.hmac import files
from sectax.experiments.hmac.events import EXPIRY, VARIANTS
from sectax.model.errors import ExitStatus, WrongUse
from sectax.text.printable import printable
from sectax.text.spans import seconds

_DEFAULT_KEY_FILE = "hmac.key"
_DEFAULT_LIFETIME = "1h"
_BYTES = {"B": 1, "KiB": 1024, "MiB": 1024 * 1024}

_as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON document instead of text.")


@click.group("hmac")
def group() -> None:
    """Create a shared key and events, sign and verify them.

    The shared key comes from a file (--key-file or SHARED_KEY_FILE) or from the environment (SHARED_KEY), never from
    the command line.
    """


def _refuse_key(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        raise WrongUse(
            f"{parameter.opts[0]}: other users can read a key on the command line, and it stays in the shell's history",
            "use --key-file or SHARED_KEY; create a new key if this one was real",
        )


def _takes_key(command: Callable[..., None]) -> Callable[..., None]:
    for name in ("--key", "--shared-key", "--secret", "--secret-key"):
        refused = click.option(name, hidden=True, expose_value=False, callback=_refuse_key, is_eager=True)
        command = refused(command)
    return click.option("--key-file", type=click.Path(), metavar="FILE", help="The file with the shared key.")(command)


def _scheme(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--scheme",
        type=click.Choice(names),
        default="hmac-sha512",
        show_default=True,
        help="The authentication of events.",
    )


def _key(path: str | None) -> bytes:
    """Read the shared key; print warnings about it to stderr."""
    key = files.shared_key(path, os.environ)
    _warn_if_readable(path, key)
    return key


def _warn_if_readable(path: str | None, key: bytes, *, descriptor: int | None = None) -> None:
    for warning in files.key_warnings(path, os.environ, key, descriptor=descriptor):
        click.echo(f"warning: {printable(warning)}", err=True)


_force = click.option("--force", is_flag=True, help="Replace an existing file.")


@group.command("keygen")
@click.option(
    "--out",
    default=_DEFAULT_KEY_FILE,
    show_default=True,
    type=click.Path(),
    metavar="FILE",
    help="The file to write (mode 600); - for stdout.",
)
@_force
@_as_json
def keygen(out: str, force: bool, json_: bool) -> None:
    """Create a shared key: 64 random bytes, URL-safe.

    An existing file is never overwritten without --force.
    """
    if out == "-":
        if json_:
            raise WrongUse("--out - prints the key, and --json a document", "leave one of them out")
        key = files.new_key()
        click.echo(key)
        _warn_if_readable("/dev/stdout", key.encode(), descriptor=1)  # a shell creates files that others can read
        return
    written = files.write_key(Path(out), force=force)
    _key(out)  # warns about file systems without modes, where all users can read it
    _say([written], json_)


@group.command("payload", short_help="Create signed events of several sizes.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="SIZE",
    help="A size as in 10KiB, or several as in 10KiB,3MiB (repeatable).",
)
@click.option("--out", required=True, type=click.Path(), metavar="DIR", help="The folder for SIZE.json.")
@_scheme(*VARIANTS)
@click.option(
    "--lifetime", metavar="TIME", help=f"How long events of {EXPIRY} are valid.  [default: {_DEFAULT_LIFETIME}]"
)
@_takes_key
@_force
@_as_json
def payload(
    sizes: tuple[str, ...],
    out: str,
    scheme: str,
    lifetime: str | None,
    key_file: str | None,
    force: bool,
    json_: bool,
) -> None:
    """Create signed events as in the published study, one file per size (by default its six).

    `data` is Base64 of a MessagePack map {a: 123, b: 456, obj: SIZE bytes}; each event has a new salt.
    """
    if lifetime is not None and scheme != EXPIRY:
        raise WrongUse(f"--lifetime needs --scheme {EXPIRY}, not {scheme}", "leave it out")
    wanted = [_size(part) for text in sizes for part in text.split(",")]
    too_large = [size for size in wanted if size > files.LARGEST_PAYLOAD_BYTES]
    if too_large:
        most = files.size_label(files.LARGEST_PAYLOAD_BYTES)
        raise WrongUse(f"--size {files.size_label(too_large[0])} is too large", f"the maximum is {most}")
    written = files.write_payloads(
        Path(out),
        wanted or files.PUBLISHED_SIZES,
        variant=scheme,
        key=_key(key_file),
        lifetime_s=seconds(lifetime or _DEFAULT_LIFETIME, option="--lifetime"),
        force=force,
    )
    _say(list(written), json_)


@group.command("sign", short_help="Sign a file, and print the event.")
@click.argument("data", metavar="DATA", type=click.Path())
@click.option("--out", type=click.Path(), metavar="FILE", help="The file to write the event to.  [default: stdout]")
@click.option("--salt", metavar="TEXT", help="A salt of your own.  [default: 16 random bytes, in hexadecimal]")
@_scheme(*VARIANTS)
@_takes_key
@_force
@_as_json
def sign(
    data: str,
    out: str | None,
    salt: str | None,
    scheme: str,
    key_file: str | None,
    force: bool,
    json_: bool,
) -> None:
    """Sign all bytes of the text file DATA (- for stdin), and print the event."""
    out = None if out == "-" else out
    if json_ and out is None:
        raise WrongUse("the event on stdout is JSON already", "leave --json out, or name a file with --out")
    key = _key(key_file)
    content = files.signed_event(data, variant=scheme, key=key, salt=salt)
    if out is None:
        click.echo(content)
    else:
        _say([files.write(Path(out), content, force=force)], json_)


@group.command("verify")
@click.argument("event", metavar="EVENT", type=click.Path())
@_scheme(*VARIANTS)
@_takes_key
@_as_json
def verify(event: str, scheme: str, key_file: str | None, json_: bool) -> None:
    """Check the event in the file EVENT (- for stdin).

    Exit status: 0 genuine; 1 refused (wrong key, salt, token or data, not an event, or expired); 2 wrong use (no key,
    or an unreadable file).
    """
    reason = files.refusal(event, variant=scheme, key=_key(key_file))
    if json_:
        import msgspec

        document = {"schema": "sectax/hmac-verdict/1", "genuine": not reason, "reason": reason}
        click.echo(msgspec.json.encode(document))
    else:
        click.echo(f"refused: {printable(reason)}" if reason else "genuine")
    if reason:
        raise click.exceptions.Exit(ExitStatus.GATE_MISSED)


def _size(text: str) -> int:
    """Parse `10KiB`, `3MiB` or `512B` into bytes, at least one."""
    match = re.fullmatch(r"\s*(\d{1,12})\s*(B|KiB|MiB)\s*", text)
    value = int(match[1]) * _BYTES[match[2]] if match else 0
    if value == 0:
        raise WrongUse(f"--size {text!r} is not a size", "as in --size 10KiB, 3MiB or 512B (1 KiB is 1024 bytes)")
    return value


def _say(written: list[files.Written], json_: bool) -> None:
    if json_:
        import msgspec

        click.echo(msgspec.json.encode({"schema": "sectax/hmac-files/1", "files": written}))
        return
    for file in written:
        if file.payload_bytes is None:
            click.echo(click.format_filename(file.path))
            continue
        note = "" if file.fits_invocation else "; too large for one Lambda invocation"
        size = f"{file.bytes} bytes, {file.bytes / file.payload_bytes:.2f} times the payload"
        click.echo(f"{click.format_filename(file.path)}  {size}{note}")

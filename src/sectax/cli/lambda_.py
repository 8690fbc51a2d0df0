"""`sectax lambda serve`."""

from __future__ import annotations

import functools
import os
import sys

import click

_option = functools.partial(click.option, show_default=True)


@click.group("lambda")
def group() -> None:
    """A local Lambda: AWS's API on loopback, functions in sandboxes with the CPU share that their memory buys."""


@group.command("serve")
@_option("--port", type=click.IntRange(0, 65535), default=9000, help="The port to listen on; 0 for a free one.")
@_option("--instances", type=click.IntRange(1, 1000), default=10, help="How many instances may run at once.")
@_option(
    "--idle",
    type=click.FloatRange(min=0.1),
    default=300.0,
    metavar="SECONDS",
    help="End an instance that was not called for this long.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="HOST:PORT",
    help="Let functions connect to this address, as 127.0.0.1 and the same port (may be repeated).",
)
def serve_command(*, port: int, instances: int, idle: float, allow: tuple[str, ...]) -> None:
    """Serve AWS's Lambda API until Ctrl-C.

    Its functions are then stopped and removed."""
    from sectax.parts import lambda_local

    words = ["--port", str(port), "--instances", str(instances), "--idle", str(idle)]
    words += [f"--allow={address}" for address in allow]
    os.execve(sys.executable, lambda_local.command("serve", *words), lambda_local.environment())  # noqa: S606

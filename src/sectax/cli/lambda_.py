"""`sectax lambda serve`."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from sectax.model.errors import WrongUse


def _addresses(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Hosts and ports; an IPv6 address in brackets."""
    found = []
    for each in given:
        match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]/@\s]+)):(\d{1,5})", each)
        if match is None or not 0 < int(match[3]) < 65536:
            raise WrongUse(f"--allow {each} is not an address", "give it as HOST:PORT, for example 127.0.0.1:8200")
        found.append((match[1] or match[2], int(match[3])))
    return tuple(found)


@click.group("lambda")
def group() -> None:
    """A local Lambda: AWS's API on loopback, functions in sandboxes with the CPU share that their memory buys."""


@group.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9000,
    show_default=True,
    help="The port to listen on; 0 for a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The loopback address to listen on.")
@click.option(
    "--instances",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many instances may run at once.",
)
@click.option(
    "--idle",
    "idle_s",
    type=click.FloatRange(min=0.1),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="End an instance that was not called for this long.",
)
@click.option(
    "--region", default="us-east-1", show_default=True, help="The region in ARNs and in the functions' environment."
)
@click.option(
    "--state",
    type=click.Path(file_okay=False),
    default="",
    metavar="FOLDER",
    help="Keep functions and layers in this folder, for the next start.",
)
@click.option(
    "--logs", type=click.Path(), default="", metavar="FILE", help="Append what functions write; - for stdout."
)
@click.option(
    "--allow",
    multiple=True,
    metavar="HOST:PORT",
    callback=_addresses,
    help="Let functions connect to this address, as 127.0.0.1 and the same port (may be repeated).",
)
@click.option(
    "--retry-delay",
    "retry_s",
    type=click.FloatRange(min=0.0),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait before an Event invocation is repeated; the second time twice as long. AWS waits 60.",
)
@click.option(
    "--exact-share",
    is_flag=True,
    help="Hold answers until an exact quota would let the function give them. AWS lets short work have more.",
)
def serve_command(**settings: Any) -> None:
    """Serve AWS's Lambda API until Ctrl-C.

    Then all instances are removed, and all functions and layers too, unless --state keeps them.
    """
    from lambda_local.main import serve
    from lambda_local.settings import Settings

    serve(Settings(**settings), lambda endpoint: _say_how(endpoint, settings["region"]))


def _say_how(endpoint: str, region: str) -> None:
    aws = f"aws --endpoint-url {endpoint} --region {region} lambda"
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    click.echo(
        f"the local Lambda answers at {endpoint} until Ctrl-C; for example\n"
        "\n"
        "  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n"
        f"  {aws} create-function --function-name hello --runtime {python} --handler hello.handler"
        " --role arn:aws:iam::000000000000:role/local --memory-size 128 --zip-file fileb://hello.zip\n"
        f"  {aws} invoke --function-name hello --log-type Tail --query LogResult --output text answer.json"
        " | base64 --decode\n"
        f"  {aws} update-function-configuration --function-name hello --memory-size 1769\n"
        f"  {aws} delete-function --function-name hello"
    )

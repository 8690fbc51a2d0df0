"""The command `python -m lambda_local`.

serve [--json]      serve AWS's Lambda API until Ctrl-C; with --json print one line when ready ({"endpoint"}, or
                    {"error", "hint"}), and stop at the end of stdin
check               test whether instances can run here: {"cgroup"}, or {"error", "hint"}
runtimes [NAME…]    list what these runtimes lack; without names, those of this machine
setup NAME          install AWS's runtime client for this runtime: {"error", "hint"}
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence

from lambda_local.errors import LambdaLocalError, WrongUse
from lambda_local.settings import REGION, Settings

_EXAMPLE = f"""the local Lambda runs at {{endpoint}} until Ctrl-C; for example

  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  lambda="aws --endpoint-url {{endpoint}} --region {REGION} lambda"
  $lambda create-function --function-name hello --runtime python{sys.version_info.major}.{sys.version_info.minor} \\
    --handler hello.handler --role arn:aws:iam::000000000000:role/local --memory-size 128 --zip-file fileb://hello.zip
  $lambda invoke --function-name hello --log-type Tail --query LogResult --output text answer.json | base64 --decode
  $lambda update-function-configuration --function-name hello --memory-size 1769
  $lambda delete-function --function-name hello"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(words)
    try:
        _run(options)
    except BrokenPipeError:
        return 1
    except LambdaLocalError as error:
        if not getattr(options, "json", True):
            print(f"error: {error.message}\nhint: {error.hint}", file=sys.stderr)  # noqa: T201 - a command
        else:
            _print({"error": error.message, "hint": error.hint})
        return 2 if isinstance(error, WrongUse) else 3
    return 0


def _run(options: argparse.Namespace) -> None:
    # Imports are local, since sectax calls these often.
    match options.command:
        case "serve":
            _serve(options)
        case "check":
            from lambda_local.sandbox import available

            _print({"cgroup": available()})
        case "runtimes":
            from lambda_local.runtimes.registry import here, lack

            _print([{"name": name, **lack(name)} for name in options.names or here()])
        case "setup":
            from lambda_local.runtimes.registry import install

            install(options.name)
            _print({})


def _print(document: object) -> None:
    print(json.dumps(document), flush=True)  # noqa: T201 - a command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lambda_local", description="AWS Lambda on one machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve AWS's Lambda API on loopback")
    serve.add_argument("--port", type=int, default=9000, help="0 for a free one")
    serve.add_argument("--instances", type=int, default=Settings.instances, help="maximum number of instances")
    serve.add_argument("--idle", type=float, default=Settings.idle_s, metavar="SECONDS", help="stop unused instances")
    serve.add_argument("--allow", action="append", default=[], metavar="HOST:PORT", help="let functions connect there")
    serve.add_argument(
        "--json", action="store_true", help="for programs: one line when ready, stop at the end of stdin"
    )
    commands.add_parser("check", help="test whether instances can run here")
    commands.add_parser("runtimes", help="list what runtimes lack here").add_argument("names", nargs="*")
    commands.add_parser("setup", help="install AWS's runtime client").add_argument("name")
    return parser


def _serve(options: argparse.Namespace) -> None:
    # asyncio imports ssl if it is available: 1 MB that loopback does not need.
    sys.modules["ssl"] = None  # type: ignore[assignment]
    from lambda_local.main import serve

    settings = Settings(
        port=options.port,
        instances=options.instances,
        idle_s=options.idle,
        allow=tuple(_address(text) for text in options.allow),
    )

    def ready(endpoint: str) -> None:
        if options.json:
            _print({"endpoint": endpoint})
        else:
            print(_EXAMPLE.format(endpoint=endpoint), flush=True)  # noqa: T201 - a command

    serve(settings, ready, until_stdin_ends=options.json)


def _address(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]/@\s]+)):(\d{1,5})", text)
    if match is None or not 0 < int(match[3]) < 65536:
        raise WrongUse(f"--allow {text} is not an address", "use HOST:PORT, for example 127.0.0.1:8200")
    return match[1] or match[2], int(match[3])


if __name__ == "__main__":
    sys.exit(main())

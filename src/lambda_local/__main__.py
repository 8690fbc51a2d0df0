"""`python -m lambda_local`: serve, and say and change what this machine has for it.

serve [--json]      AWS's Lambda API until Ctrl-C; with --json one line on stdout when it answers ({"endpoint"}, or
                    {"error", "hint"}), and the end of stdin ends it too
check               whether instances can be made here: {"cgroup"}, or {"error", "hint"}
runtimes [NAME…]    what those lack, or, without names, what this machine's programs give
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

_EXAMPLE = f"""the local Lambda answers at {{endpoint}} until Ctrl-C; for example

  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  lambda="aws --endpoint-url {{endpoint}} --region {REGION} lambda"
  $lambda create-function --function-name hello --runtime python{sys.version_info.major}.{sys.version_info.minor} \\
    --handler hello.handler --role arn:aws:iam::000000000000:role/local --memory-size 128 --zip-file fileb://hello.zip
  $lambda invoke --function-name hello --log-type Tail --query LogResult --output text answer.json | base64 --decode
  $lambda update-function-configuration --function-name hello --memory-size 1769
  $lambda delete-function --function-name hello"""


def main(words: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 where it could be done."""
    given = _parser().parse_args(words)
    try:
        _run(given)
    except BrokenPipeError:  # whoever read what it says has gone
        return 1
    except LambdaLocalError as error:
        if not getattr(given, "json", True):
            print(f"error: {error.message}\nhint: {error.hint}", file=sys.stderr)  # noqa: T201 - it is a command
        else:
            _say({"error": error.message, "hint": error.hint})
        return 2 if isinstance(error, WrongUse) else 3
    return 0


def _run(given: argparse.Namespace) -> None:
    # Each imports what it needs alone: sectax asks often.
    match given.command:
        case "serve":
            _serve(given)
        case "check":
            from lambda_local.sandbox import available

            _say({"cgroup": available()})
        case "runtimes":
            from lambda_local.runtimes.found import here, lack

            _say([{"name": name, **lack(name)} for name in given.names or here()])
        case "setup":
            from lambda_local.runtimes.found import install

            install(given.name)
            _say({})


def _say(document: object) -> None:
    print(json.dumps(document), flush=True)  # noqa: T201 - it is a command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lambda_local", description="AWS Lambda on one machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="answer AWS's Lambda API on loopback")
    serve.add_argument("--port", type=int, default=9000, help="0 for a free one")
    serve.add_argument("--instances", type=int, default=Settings.instances, help="how many may be there at once")
    serve.add_argument("--idle", type=float, default=Settings.idle_s, metavar="SECONDS", help="end unused instances")
    serve.add_argument("--allow", action="append", default=[], metavar="HOST:PORT", help="let functions connect there")
    serve.add_argument("--json", action="store_true", help="for programs: one line when it answers, ends with stdin")
    commands.add_parser("check", help="whether instances can be made here")
    commands.add_parser("runtimes", help="what runtimes lack here").add_argument("names", nargs="*")
    commands.add_parser("setup", help="install AWS's runtime client").add_argument("name")
    return parser


def _serve(given: argparse.Namespace) -> None:
    # asyncio takes TLS along where it finds it, and does without elsewhere: 1 MB that loopback has no use for.
    sys.modules["ssl"] = None  # type: ignore[assignment]
    from lambda_local.main import serve

    settings = Settings(
        port=given.port,
        instances=given.instances,
        idle_s=given.idle,
        allow=tuple(_address(text) for text in given.allow),
    )

    def ready(endpoint: str) -> None:
        if given.json:
            _say({"endpoint": endpoint})
        else:
            print(_EXAMPLE.format(endpoint=endpoint), flush=True)  # noqa: T201 - it is a command

    serve(settings, ready, until_stdin_ends=given.json)


def _address(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]/@\s]+)):(\d{1,5})", text)
    if match is None or not 0 < int(match[3]) < 65536:
        raise WrongUse(f"--allow {text} is not an address", "give it as HOST:PORT, for example 127.0.0.1:8200")
    return match[1] or match[2], int(match[3])


if __name__ == "__main__":
    sys.exit(main())

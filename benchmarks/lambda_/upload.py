"""What an upload of 50 MB does to another function's Durations.

    python -m benchmarks.lambda_.upload [--turns 5]

A function that sleeps for 9 ms is invoked again and again, by turns while nothing else happens and while a client in
a process of its own creates a function of 49 MB. Needs what real sandboxes need (root, or delegated control groups).
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from typing import Any

from benchmarks.lambda_.socket_loop import python
from benchmarks.output import heading, table, target
from sectax.experiments.on_lambda.local_lambda import LocalLambda, measured
from tests.lambda_local.serving import ROLE, archive

SOURCE = "import time\ndef handler(event, context):\n    time.sleep(0.009)\n"
FILES = 49  # of a megabyte each
QUIET_S = 3.0
MOST = 1.5

_CREATE = """
import sys
from tests.lambda_local.serving import PYTHON, ROLE, client
code = {"ZipFile": sys.stdin.buffer.read()}
client(sys.argv[1]).create_function(FunctionName=sys.argv[2], Code=code, Runtime=PYTHON, Handler="f.handler", Role=ROLE)
"""


def large() -> bytes:
    """A zip that does not get smaller by being packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("f.py", SOURCE)
        for number in range(FILES):
            out.writestr(f"data-{number}", os.urandom(10**6))
    return packed.getvalue()


def durations(client: Any, go_on: Callable[[], bool]) -> list[float]:
    """Milliseconds."""
    seen = []
    while go_on():
        seen.append(1e3 * measured(client.invoke(FunctionName="sleeps")).duration_s)
    return seen


def during_upload(client: Any, endpoint: str, name: str, content: bytes) -> list[float]:
    """Durations while the other client creates its function."""
    with subprocess.Popen([sys.executable, "-c", _CREATE, endpoint, name], stdin=subprocess.PIPE) as other:
        assert other.stdin is not None
        other.stdin.write(content)
        other.stdin.close()
        seen = durations(client, lambda: other.poll() is None)
    if other.returncode:
        raise SystemExit("the upload failed")
    return seen


def p99(seen: list[float]) -> float:
    """The 99th percentile."""
    return statistics.quantiles(seen, n=100)[98]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lambda_.upload", description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5, help="uploads (5)")
    given = parser.parse_args()
    heading("An upload beside another function")
    content = large()
    quiet: list[float] = []
    beside: list[float] = []
    with LocalLambda(instances=4) as local:
        client = local.client()
        client.create_function(
            FunctionName="sleeps",
            Code={"ZipFile": archive({"f.py": SOURCE})},
            Runtime=python(),
            Handler="f.handler",
            Role=ROLE,
            MemorySize=1769,
            Timeout=20,
        )
        client.invoke(FunctionName="sleeps")
        for turn in range(given.turns):
            until = time.monotonic() + QUIET_S
            quiet += durations(client, lambda until=until: time.monotonic() < until)  # type: ignore[misc]
            beside += during_upload(client, local.endpoint, f"large-{turn}", content)
            client.delete_function(FunctionName=f"large-{turn}")
    rows = [
        [name, str(len(seen)), *(f"{value:.1f}" for value in (statistics.median(seen), p99(seen), max(seen)))]
        for name, seen in (("nothing else", quiet), ("an upload of 49 MB", beside))
    ]
    table(["", "invocations", "median, ms", "p99, ms", "longest, ms"], rows, f"{given.turns} turns")
    print()
    ratio = statistics.median(beside) / statistics.median(quiet)
    target("median Duration beside an upload / without", ratio, MOST, f"{ratio:.2f}, at most {MOST}")


if __name__ == "__main__":
    main()

"""The local Lambda's own cost: the Duration of an empty function, invocations per second, cold starts, its memory.

    python -m benchmarks.lambda_.service [--rounds 20] [--seconds 10] [--colds 10] [--invocations 20000]

Needs what real sandboxes need (root, or delegated control groups). The Durations of the service and of the
hand-written loop are taken in turns, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.lambda_.socket_loop import FUNCTION, SocketLoop, python
from benchmarks.output import heading, table, target
from sectax.experiments.on_lambda.local_lambda import LocalLambda, measured
from tests.lambda_local.serving import archive

EACH_TURN = 100  # invocations
OVERHEAD_MS = 0.15
RATE = 300.0
COLD_MS = 300.0
SERVER_MB = 100.0


def deploy(client: Any, name: str, memory: int = 1769, source: str = FUNCTION) -> None:
    """A function of one file; an empty one, as the loop by hand has it, where none is given."""
    client.create_function(
        FunctionName=name,
        Runtime=python(),
        Handler="f.handler",
        Role="arn:aws:iam::000000000000:role/local",
        Code={"ZipFile": archive({"f.py": source})},
        MemorySize=memory,
        Timeout=60,
    )


def durations(client: Any, rounds: int, folder: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of the service's Durations, and of the loop's."""
    deploy(client, "empty")
    service: list[float] = []
    loop: list[float] = []
    with SocketLoop(folder) as by_hand:
        for turn in range(-2, rounds):
            ours = [1e3 * measured(client.invoke(FunctionName="empty")).duration_s for _ in range(EACH_TURN)]
            theirs = [1e3 * by_hand.invoke() for _ in range(EACH_TURN)]
            if turn >= 0:
                service += ours
                loop += theirs
    return service, loop


def rate(client: Any, seconds: float) -> tuple[float, int]:
    """Invocations per second of two callers, and the instances that they met."""
    deploy(client, "pair")
    counts, instances = [0, 0], set()
    start = threading.Barrier(3)

    def call(number: int) -> None:
        instances.add(measured(client.invoke(FunctionName="pair")).instance)
        start.wait()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            instances.add(measured(client.invoke(FunctionName="pair")).instance)
            counts[number] += 1

    callers = [threading.Thread(target=call, args=(number,)) for number in range(2)]
    for caller in callers:
        caller.start()
    start.wait()
    for caller in callers:
        caller.join()
    return sum(counts) / seconds, len(instances)


def colds(client: Any, number: int, folder: Path) -> list[tuple[float, float, float]]:
    """For each cold start milliseconds of: making the sandbox, the init phase, the runtime's own start by hand."""
    deploy(client, "cold")
    seen: list[tuple[float, float, float]] = []
    for turn in range(-1, number):
        client.update_function_configuration(FunctionName="cold", Description=str(turn))
        met = measured(client.invoke(FunctionName="cold"))
        with SocketLoop(folder) as by_hand:
            own = by_hand.start_s
        if turn >= 0 and met.created_s is not None and met.init_s is not None:
            seen.append((1e3 * met.created_s, 1e3 * met.init_s, 1e3 * own))
    return seen


def resident_mb(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def many(endpoint: str, name: str, number: int) -> None:
    """Invoke again and again over one connection, without a client library that would take most of the time."""
    address = urlsplit(endpoint)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    headers = {"Authorization": "AWS4-", "X-Amz-Log-Type": "Tail"}
    for _ in range(number):
        connection.request("POST", f"/2015-03-31/functions/{name}/invocations", b"{}", headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"an invocation was answered {answer.status}")
    connection.close()


def show_durations(service: list[float], loop: list[float]) -> None:
    rows = [
        [name, *(f"{value:.3f}" for value in (statistics.median(times), statistics.quantiles(times, n=100)[94]))]
        for name, times in (("the service, sandboxed", service), ("a socket loop by hand", loop))
    ]
    table(["", "p50, ms", "p95, ms"], rows, f"Duration of an empty function at 1769 MB, {len(service)} times each")
    more = statistics.median(service) - statistics.median(loop)
    print()
    target("Duration over the loop's, p50", more, OVERHEAD_MS, f"{more:.3f} ms, at most {OVERHEAD_MS} ms")


def show_colds(seen: list[tuple[float, float, float]]) -> None:
    made, init, own = (statistics.median(column) for column in zip(*seen, strict=True))
    cells = [f"{value:.0f}" for value in (made, init, own)]
    header = ["", "sandbox, ms", "init phase, ms", "the same runtime by hand, ms"]
    table(header, [["median", *cells]], f"{len(seen)} cold starts at 1769 MB")
    print()
    added = made + init - own
    target("what a cold start adds", added, COLD_MS, f"{added:.0f} ms, under {COLD_MS:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lambda_.service", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help=f"turns of {EACH_TURN} invocations (20)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of two callers (10)")
    parser.add_argument("--colds", type=int, default=10, help="cold starts (10)")
    parser.add_argument("--invocations", type=int, default=20_000, help="before memory is looked at (20000)")
    given = parser.parse_args()
    heading("The local Lambda")
    with tempfile.TemporaryDirectory() as folder, LocalLambda(instances=4) as local:
        client = local.client()
        if given.rounds:
            show_durations(*durations(client, given.rounds, Path(folder)))
        if given.seconds:
            reached, instances = rate(client, given.seconds)
            said = f"{reached:.0f} in a second with {instances} instances, at least {RATE:.0f}"
            target("invocations", reached, RATE, said, at_least=True)
        if given.colds:
            show_colds(colds(client, given.colds, Path(folder)))
        if given.invocations:
            deploy(client, "many")
            before = resident_mb(local.pid)
            many(local.endpoint, "many", given.invocations)
            after = resident_mb(local.pid)
            said = (
                f"{after:.0f} MB after {given.invocations} invocations ({before:.0f} MB before), under {SERVER_MB:.0f}"
            )
            target("memory of the server", after, SERVER_MB, said)


if __name__ == "__main__":
    main()

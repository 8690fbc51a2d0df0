"""Connections of the experiment `tls` in Go beside Go's own benchmark and `openssl s_time`, on one machine in one run.

    python -m benchmarks.tls_handshake [--blocks 10] [--turns 2] [--connections 200]

TCP connect and handshake of TLS 1.3, X25519, a P-256 certificate, one at a time. Three others stand beside:

- Like with like: tls.Dial in a Go benchmark (`BenchmarkDial`), by the same crypto/tls to the same server process, which
  has closed the connection before, as ours has. In every block both take turns of so many connections.
- What is usually written (`BenchmarkConnection`): tls.Dial and Close in a loop, both ends in one process, so that the
  server still works on the last connection while the next begins.
- `openssl s_time`, another client, of this machine's OpenSSL, to the same server: its elapsed time is read, not its
  'connections/user sec', which leaves out the server and all waiting. CPU time per connection shows what is its own.

Ratios are geometric means over blocks, with Student's t in logs (95 %).

Needs what `sectax setup tls --level library=go` makes, Go, and openssl.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.output import heading, near_one, ratio, table
from sectax.experiments.tls import parts
from sectax.experiments.tls.certificates import authority
from sectax.experiments.tls.ends import Ends
from sectax.experiments.tls.levels import Setup
from sectax.experiments.tls.subject import TlsSpec
from sectax.parts import cache
from sectax.stats.student import PointInterval, geometric_mean_interval

WITHIN = 0.05
OWN, OWN_CPU = "sectax", "sectax, CPU of the client"
DIAL, LOOP = "tls.Dial (Go benchmark)", "tls.Dial and Close, both ends in one process"
S_TIME, S_TIME_USER, S_TIME_CPU = "openssl s_time", "openssl s_time, as 'user sec'", "openssl s_time, CPU"
_ENDED = re.compile(r"(\d+) connections in (\d+) real seconds")
_USER = re.compile(r"([\d.]+) connections/user sec")


def go_benchmark(program: str, which: str, connections: int, environment: Mapping[str, str]) -> float:
    """Seconds of a connection by a Go benchmark: the median that it reports itself, or else the mean of its loop."""
    words = [program, "-test.run", "^$", "-test.bench", f"^{which}$", "-test.benchtime", f"{connections}x"]
    env = {**os.environ, **environment}
    said = subprocess.run(words, capture_output=True, text=True, check=True, env=env).stdout
    found = re.search(r"([\d.]+) median-ns", said) or re.search(r"([\d.]+) ns/op", said)
    assert found is not None, said
    return float(found[1]) * 1e-9


class Openssl(NamedTuple):
    """Seconds of a connection by s_time: as they passed, as its 'user sec' has them, and its CPU time."""

    passed: float
    user: float
    cpu: float


def s_time(port: int, root: Path, seconds: int) -> Openssl:
    words = ["openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-time", str(seconds), "-verify", "3"]
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([*words, "-CAfile", str(root), "-tls1_3"], capture_output=True, text=True, check=False).stdout
    passed, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    ended, user = _ENDED.search(said), _USER.search(said)
    if ended is None or user is None:
        raise SystemExit(f"openssl s_time did not connect:\n{said}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Openssl(passed / int(ended[1]), 1 / float(user[1]), cpu / int(ended[1]))


class Own:
    """Our client and server with one arm."""

    def __init__(self, connections: int) -> None:
        self.connections, made = connections, authority("P-256")
        self.root = made.root
        self.ends = Ends(parts.command("go"), os.sched_getaffinity(0))
        self._spec = TlsSpec("a", "go", Setup(), self.ends, made)
        self.ends.join("a")
        self.port = self.ends.listen("a", self._spec.wanted(of_client=False))
        self.ends.open("a", self.port, self._spec.wanted(of_client=True), 60.0)

    def seconds(self) -> float:
        """Seconds of TCP connect and handshake, the median of so many."""
        done = self.ends.measure("a", self.connections, 0, 0, 600.0)
        self.cpu = done.client_cpu_ns * 1e-9 / self.connections
        return statistics.median(map(sum, zip(done.connect_ns, done.handshake_ns, strict=True))) * 1e-9

    def close(self) -> None:
        self.ends.leave("a")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tls_handshake", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--turns", type=int, default=2, help="of either in every block")
    parser.add_argument("--connections", type=int, default=200, help="in every turn")
    given = parser.parse_args()
    if shutil.which("openssl") is None or shutil.which("go") is None:
        raise SystemExit("openssl or go is not installed\nhint: apt-get install openssl golang-go")

    heading("Connections of sectax's ends in Go beside others'")
    seen: dict[str, list[float]] = {name: [] for name in (OWN, DIAL, LOOP, S_TIME, S_TIME_USER, S_TIME_CPU, OWN_CPU)}
    with tempfile.TemporaryDirectory() as folder:
        program, root = f"{folder}/bench", Path(folder, "root.pem")
        sources = cache.bundled("clients", "tls-go")
        subprocess.run(["go", "test", "-c", "-o", program, "."], cwd=sources, check=True)
        for _ in range(given.blocks):
            own = Own(given.connections)
            root.write_text(own.root)
            there = {"SECTAX_SERVER": f"127.0.0.1:{own.port}", "SECTAX_ROOT": str(root)}
            turns: dict[str, list[float]] = {OWN: [], DIAL: [], OWN_CPU: []}
            for _ in range(given.turns):
                for which in random.sample((OWN, DIAL), 2):
                    if which == OWN:
                        turns[OWN].append(own.seconds())
                        turns[OWN_CPU].append(own.cpu)
                    else:
                        turns[DIAL].append(go_benchmark(program, "BenchmarkDial", given.connections, there))
            for name, values in turns.items():
                seen[name].append(statistics.fmean(values))
            seen[LOOP].append(go_benchmark(program, "BenchmarkConnection", given.connections, {}))
            for name, value in zip((S_TIME, S_TIME_USER, S_TIME_CPU), s_time(own.port, root, 1), strict=True):
                seen[name].append(value)
            own.close()

    def compared(name: str, own: str = OWN) -> PointInterval:
        return geometric_mean_interval([one / it for one, it in zip(seen[own], seen[name], strict=True)], 0.95)

    own_of = {OWN_CPU: "", OWN: "", S_TIME_CPU: OWN_CPU}
    rows = []
    for name, values in seen.items():
        own_name = own_of.get(name, OWN)
        beside = ratio(compared(name, own_name)) if own_name else ""
        rows.append([name, f"{1e6 * statistics.median(values):.0f}", f"{1e6 * min(values):.0f}", beside])
    table(["", "µs a connection", "the lowest block", "sectax to it"], rows)
    print()
    near_one("sectax to tls.Dial in a Go benchmark", compared(DIAL), WITHIN)
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

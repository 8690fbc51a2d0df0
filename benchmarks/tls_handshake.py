"""Connections of the experiment `tls` in Go beside Go's own benchmark and `openssl s_time`, on one machine in one run.

    python -m benchmarks.tls_handshake [--blocks 10] [--connections 300]

TCP connect and handshake of TLS 1.3, X25519, a P-256 certificate, one at a time. Go's benchmark stands beside the ends
(`BenchmarkConnection`): tls.Dial and Close in a loop, both ends in one process. s_time is another client, of this
machine's OpenSSL, against the same server in Go: its elapsed time is read, not its 'connections/user sec', which leaves
out the server and all waiting. In every block the three come in random order; ratios are geometric means over blocks,
with Student's t in logs (95 %).

Needs what `sectax setup tls --level library=go` makes, Go, and openssl.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.output import heading, near_one, ratio, table
from sectax.experiments.tls import parts
from sectax.experiments.tls.certificates import authority
from sectax.experiments.tls.ends import Ends
from sectax.experiments.tls.levels import Setup
from sectax.experiments.tls.subject import TlsSpec
from sectax.parts import cache
from sectax.stats.student import geometric_mean_interval

WITHIN = 0.05
_ENDED = re.compile(r"(\d+) connections in (\d+) real seconds")
_USER = re.compile(r"([\d.]+) connections/user sec")


def go_benchmark(program: str, connections: int) -> float:
    """Seconds of a connection by `go test -bench`."""
    words = [program, "-test.run", "^$", "-test.bench", "Connection", "-test.benchtime", f"{connections}x"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"([\d.]+) ns/op", said)
    assert found is not None, said
    return float(found[1]) * 1e-9


def s_time(port: int, root: Path, seconds: int) -> tuple[float, float]:
    """Seconds of a connection by `openssl s_time`: as they passed, and as its 'user sec' would have it."""
    words = [
        "openssl",
        "s_time",
        "-connect",
        f"127.0.0.1:{port}",
        "-new",
        "-time",
        str(seconds),
        "-verify",
        "3",
        "-CAfile",
        str(root),
    ]
    began = time.monotonic()
    said = subprocess.run([*words, "-tls1_3"], capture_output=True, text=True, check=False).stdout
    passed = time.monotonic() - began
    ended, user = _ENDED.search(said), _USER.search(said)
    if ended is None or user is None:
        raise SystemExit(f"openssl s_time did not connect:\n{said}")
    return passed / int(ended[1]), 1 / float(user[1])


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
        """Seconds of TCP connect and handshake, the mean of so many."""
        done = self.ends.measure("a", self.connections, 0, 0, 600.0)
        return (statistics.fmean(done.connect_ns) + statistics.fmean(done.handshake_ns)) * 1e-9

    def close(self) -> None:
        self.ends.leave("a")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tls_handshake", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--connections", type=int, default=300, help="of each in every block")
    given = parser.parse_args()
    if shutil.which("openssl") is None or shutil.which("go") is None:
        raise SystemExit("openssl or go is not installed\nhint: apt-get install openssl golang-go")

    heading("Connections of sectax's ends in Go beside others'")
    seen: dict[str, list[float]] = {"sectax": [], "go test -bench": [], "s_time": [], "s_time, user": []}
    with tempfile.TemporaryDirectory() as folder:
        program, root = f"{folder}/bench", Path(folder, "root.pem")
        sources = cache.bundled("clients", "tls-go")
        subprocess.run(["go", "test", "-c", "-o", program, "."], cwd=sources, check=True)
        for _ in range(given.blocks):
            own = Own(given.connections)
            root.write_text(own.root)
            for which in random.sample(("sectax", "go test -bench", "s_time"), 3):
                if which == "sectax":
                    seen[which].append(own.seconds())
                elif which == "s_time":
                    passed, user = s_time(own.port, root, 1)
                    seen[which].append(passed)
                    seen["s_time, user"].append(user)
                else:
                    seen[which].append(go_benchmark(program, given.connections))
            own.close()
    ratios = {
        name: geometric_mean_interval([one / other for one, other in zip(seen["sectax"], values, strict=True)], 0.95)
        for name, values in seen.items()
        if name != "sectax"
    }
    rows = [
        [
            name,
            f"{1e6 * statistics.median(values):.0f}",
            f"{1e6 * min(values):.0f}",
            ratio(ratios[name]) if name in ratios else "",
        ]
        for name, values in seen.items()
    ]
    table(["", "µs a connection", "the fastest block", "sectax to it"], rows)
    print()
    for name in ("go test -bench", "s_time"):
        near_one(f"sectax to {name}", ratios[name], WITHIN)
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

"""The client of the experiment `http` beside wrk: requests per second at equal concurrency, over kept connections.

    python -m benchmarks.http_client [--blocks 10] [--seconds 1] [--concurrency 1,16]

Both ask the same nginx on loopback, with one worker, for a page of 34 bytes; wrk has one thread. In every block each of
them asks for so many seconds, in random order; ratios are geometric means over blocks, with Student's t in logs (95 %).

Needs what `sectax setup http` makes, wrk and nginx (Debian: `wrk`, `nginx-light`).
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.output import heading, ratio, table, target
from sectax.experiments.client_server.server import free_port
from sectax.experiments.client_server.started import StartedServer
from sectax.experiments.http import parts
from sectax.experiments.http.client import SharedClient
from sectax.stats.student import geometric_mean_interval

LEAST = 1.0
_CONFIGURATION = """
worker_processes 1; daemon off; error_log stderr; pid {folder}/pid;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "a page as it is, and not a long one"; }} }}
}}
"""


@contextlib.contextmanager
def nginx() -> Iterator[str]:
    """The URL of an nginx of our own."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    assert program is not None, "main has looked for it"
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        Path(folder, "conf").write_text(_CONFIGURATION.format(folder=folder, port=port))
        server = StartedServer("nginx", (program, "-p", folder, "-c", f"{folder}/conf"), folder)
        server.start()
        server.port = port  # which its configuration names
        try:
            server.wait()
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.stop()


def wrk(url: str, concurrency: int, seconds: int) -> float:
    """Requests per second of wrk. Raises `SystemExit` where an answer was not a 200."""
    words = ["wrk", "-t1", f"-c{concurrency}", f"-d{seconds}s", url]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+) requests in ([\d.]+)s", said)
    if found is None or "Non-2xx" in said or "Socket errors" in said:
        raise SystemExit(f"wrk did not get what it asked for:\n{said}")
    return int(found[1]) / float(found[2])


class Own:
    """Our client with one arm at one concurrency."""

    def __init__(self, url: str, concurrency: int) -> None:
        self._client = SharedClient(str(parts.client().path))
        self._client.join("a")
        self._client.hello()
        timeout_ns = 10 * 10**9
        wanted = {"url": url, "method": "GET", "kept": True, "concurrency": concurrency, "timeout_ns": timeout_ns}
        self._client.open("a", wanted | {"most_body": 10**6}, 60.0)
        self._count = 2000

    def requests_s(self, seconds: float) -> float:
        batch = self._client.measure("a", self._count, 0, 600.0)
        made, passed_s = 0, 0.0
        while passed_s < seconds:
            count = max(self._count, round(0.2 * self._count / (batch.wall_ns * 1e-9)))
            batch = self._client.measure("a", count, 0, 600.0)
            self._count = count if batch.wall_ns < 4e8 else count // 2
            made, passed_s = made + count, passed_s + batch.wall_ns * 1e-9
        return made / passed_s

    def close(self) -> None:
        self._client.leave("a")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http_client", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=1, help="of each in every block")
    parser.add_argument("--concurrency", default="1,16", help="requests at once")
    given = parser.parse_args()
    if shutil.which("wrk") is None or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin") is None:
        raise SystemExit("wrk or nginx is not installed\nhint: apt-get install wrk nginx-light")

    heading("The HTTP client beside wrk")
    rows, ratios = [], {}
    with nginx() as url:
        for concurrency in map(int, given.concurrency.split(",")):
            ours: list[float] = []
            theirs: list[float] = []
            for _ in range(given.blocks):
                # A fresh process for both, as wrk always is.
                with contextlib.closing(Own(url, concurrency)) as own:
                    for is_ours in random.sample((True, False), 2):
                        if is_ours:
                            ours.append(own.requests_s(given.seconds))
                        else:
                            theirs.append(wrk(url, concurrency, given.seconds))
            compared = [own / other for own, other in zip(ours, theirs, strict=True)]
            ratios[concurrency] = geometric_mean_interval(compared, 0.95)
            means = (f"{sum(item) / len(item):,.0f}" for item in (ours, theirs))
            rows.append([str(concurrency), *means, ratio(ratios[concurrency])])
    table(["requests at once", "sectax", "wrk", "sectax / wrk"], rows, "Requests per second")
    print()
    for concurrency, interval in ratios.items():
        # Reached only where the whole interval is.
        shown = f"{ratio(interval)} of wrk's, at least {LEAST:g}"
        target(f"{concurrency} at once", interval.low or interval.point, LEAST, shown, at_least=True)


if __name__ == "__main__":
    main()

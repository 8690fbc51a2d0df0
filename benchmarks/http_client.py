"""The client of the experiment `http` beside wrk, h2load and oha: requests per second at equal concurrency.

    python -m benchmarks.http_client [--blocks 10] [--seconds 1] [--concurrency 1,16]

All ask the same nginx on loopback, with one worker, for a page of 34 bytes over kept connections of HTTP/1.1; each has
one thread. In every block each of them asks for so many seconds, in random order; ratios are geometric means over
blocks, with Student's t in logs (95 %). CPU time per request, of the kernel for the client too, stands beside: it is
what a client costs where others use the processors.

Needs what `sectax setup http` makes, wrk and nginx (Debian: `wrk`, `nginx-light`). h2load (`nghttp2-client`) and oha
(`cargo install oha`) stand beside where they are installed.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.output import heading, ratio, table, target
from sectax.experiments.client_server.server import free_port
from sectax.experiments.client_server.started_server import StartedServer
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


class Speed(NamedTuple):
    """Requests per second, and CPU time of the client for each in seconds."""

    requests_s: float
    cpu_s: float


def load_of(program: str, words: Sequence[str], pattern: str, wrong: str, seconds: int) -> Speed:
    """What a load tool prints, and what it used. Raises `SystemExit` where an answer was not a 200."""
    before = children_cpu_s()
    said = subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
    found = re.search(pattern, said)
    if found is None or re.search(wrong, said):
        raise SystemExit(f"{program} did not get what it asked for:\n{said}")
    requests_s = float(found[1])
    return Speed(requests_s, (children_cpu_s() - before) / (requests_s * seconds))


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wrk(url: str, at_once: int, seconds: int) -> Speed:
    words = ("-t1", f"-c{at_once}", f"-d{seconds}s", url)
    return load_of("wrk", words, r"Requests/sec:\s+([\d.]+)", "Non-2xx|Socket errors", seconds)


def h2load(url: str, at_once: int, seconds: int) -> Speed:
    words = ("--h1", "-t1", f"-c{at_once}", f"-D{seconds}", url)
    return load_of("h2load", words, r"finished in [^,]+, ([\d.]+) req/s", r"[1-9]\d* (failed|errored)", seconds)


def oha(url: str, at_once: int, seconds: int) -> Speed:
    words = ("--no-tui", "-c", str(at_once), "-z", f"{seconds}s", url)
    return load_of("oha", words, r"Requests/sec:\s+([\d.]+)", r"\[[13-5]\d\d\]", seconds)


OTHERS: dict[str, Callable[[str, int, int], Speed]] = {"wrk": wrk, "h2load": h2load, "oha": oha}


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

    def speed(self, seconds: float) -> Speed:
        batch = self._client.measure("a", self._count, 0, 600.0)
        made, passed_s, cpu_s = 0, 0.0, 0.0
        while passed_s < seconds:
            count = max(self._count, round(0.2 * self._count / (batch.wall_ns * 1e-9)))
            batch = self._client.measure("a", count, 0, 600.0)
            self._count = count if batch.wall_ns < 4e8 else count // 2
            made, passed_s, cpu_s = made + count, passed_s + batch.wall_ns * 1e-9, cpu_s + batch.cpu_ns * 1e-9
        return Speed(made / passed_s, cpu_s / made)

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

    heading("The HTTP client beside other load tools")
    others = {name: tool for name, tool in OTHERS.items() if shutil.which(name)}
    rows, ratios = [], {}
    with nginx() as url:
        for concurrency in map(int, given.concurrency.split(",")):
            seen: dict[str, list[Speed]] = {"sectax": [], **{name: [] for name in others}}
            for _ in range(given.blocks):
                # A fresh process for each, as the others always are.
                with contextlib.closing(Own(url, concurrency)) as own:
                    for name in random.sample([*seen], len(seen)):
                        tool = others.get(name)
                        speed = tool(url, concurrency, given.seconds) if tool else own.speed(given.seconds)
                        seen[name].append(speed)
            for name in others:
                pairs = list(zip(seen["sectax"], seen[name], strict=True))
                faster = geometric_mean_interval([ours.requests_s / theirs.requests_s for ours, theirs in pairs], 0.95)
                busier = geometric_mean_interval([ours.cpu_s / theirs.cpu_s for ours, theirs in pairs], 0.95)
                ratios[concurrency, name] = faster
                medians = (f"{statistics.median(one.requests_s for one in seen[it]):,.0f}" for it in ("sectax", name))
                spent = (f"{1e6 * statistics.median(one.cpu_s for one in seen[it]):.1f}" for it in ("sectax", name))
                rows.append([f"{concurrency}, {name}", *medians, ratio(faster), *spent, ratio(busier)])
    columns = ["at once, beside", "sectax", "the other", "ratio", "sectax, µs of CPU", "the other", "ratio"]
    table(columns, rows, "Requests per second (medians over blocks), and CPU time of the client per request")
    print()
    for (concurrency, name), interval in ratios.items():
        if name == "wrk":
            # Reached only where the whole interval is.
            shown = f"{ratio(interval)} of wrk's, at least {LEAST:g}"
            target(f"{concurrency} at once", interval.low or interval.point, LEAST, shown, at_least=True)


if __name__ == "__main__":
    main()

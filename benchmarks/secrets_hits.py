"""Hits as the experiment `secrets` times them, beside what others say of the same: pyperf and wrk.

    python -m benchmarks.secrets_hits [--blocks 10] [--rounds 4] [--seconds 1]

A hit of the function's own dictionary, in Python at 1769 MB in the local Lambda, beside `pyperf timeit` of the same
function in the same interpreter outside; one fresh instance and one pyperf worker in each block. A hit through the
sidecar by the function in Go, beside wrk at one connection on the same agent outside: a process of its own with all of
this machine's processors, which asks the same backend; in each round both in random order. A block's value is total
time over total hits; ratios are geometric means over blocks, with Student's t in logs (95 %).

Needs what `sectax setup secrets` makes, root or delegated control groups, and wrk (Debian: `wrk`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.output import ROOT, environment, heading, near_one, ratio, table
from sectax.design.planning import RunRequest
from sectax.experiments.secrets import agent
from sectax.experiments.secrets.experiment import EXPERIMENT
from sectax.model.plan import Stopping
from sectax.model.subject import Work
from sectax.run.machine import machine_snapshot
from sectax.stats.student import PointInterval, geometric_mean_interval

MEMORY = "1769"
DICTIONARY_WITHIN, SIDECAR_WITHIN = 0.10, 0.15
_BATCH_S = 0.1
_READY_S = 20.0


def pyperf_seconds(name: str, loops: int) -> float:
    """Seconds of a call of the function's own `read`, by one worker of pyperf; what it reads is no secret."""
    setup = (
        "from secrets_reader import direct\n"
        'direct.read = lambda name: "x" * 32\n'
        "from secrets_reader.dictionary import read\n"
        f"name = {name!r}\n"
        "read(name)"
    )
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        size = ["--processes", "1", "--warmups", "2", "--values", "5", "--loops", str(loops), "--copy-env"]
        command = [
            sys.executable,
            "-m",
            "pyperf",
            "timeit",
            *size,
            "--quiet",
            "-o",
            str(result),
            "-s",
            setup,
            "read(name)",
        ]
        function = str(ROOT / "functions" / "secrets_reader" / "python")
        made_up = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "local")
        own = {"PYTHONPATH": function, "AWS_DEFAULT_REGION": "us-east-1"} | made_up
        subprocess.run(command, env=environment() | own, stdout=subprocess.DEVNULL, check=True)
        runs = json.loads(result.read_text())["benchmarks"][0]["runs"]
    values = [value for run in runs for value in run.get("values", ())]
    return float(sum(values) / len(values))


@contextmanager
def agent_outside(bench: Any, folder: Path, port: int = 0) -> Iterator[Path]:
    """AWS's agent outside the Lambda, with the secret in its cache: a script for wrk that asks for it.

    Port 0 takes a free one. The token that the agent wants is in the folder, in `token`.
    """
    keeper = bench.keeper
    if not port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    token, trust, settings = folder / "token", folder / "trust.pem", folder / "agent.toml"
    token.write_text(secrets.token_hex(32))
    trust.write_text(keeper.certificate)
    settings.write_text(
        'log_level = "none"\nlog_to_file = false\nregion = "us-east-1"\nvalidate_credentials = false\n'
        f"http_port = {port}\n"
    )
    own = {
        "AWS_TOKEN": f"file://{token}",
        "SSL_CERT_FILE": str(trust),
        "AWS_ENDPOINT_URL_SECRETS_MANAGER": keeper.address,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": "us-east-1",
        "PATH": os.environ["PATH"],
    }
    name = keeper.often(32).name
    path = f"/secretsmanager/get?secretId={name}"
    header = {"X-Aws-Parameters-Secrets-Token": token.read_text()}
    script = wrk_script(folder / "hit.lua", name, token.read_text(), port)
    with subprocess.Popen([agent.program(), "--config", settings], env=own, cwd=folder) as running:
        try:
            deadline = time.monotonic() + _READY_S
            while True:
                try:
                    connection = HTTPConnection("127.0.0.1", port, timeout=10)
                    connection.request("GET", path, headers=header)
                    answer = connection.getresponse()
                    if answer.status != 200 or keeper.often(32).value.encode() not in answer.read():
                        raise SystemExit(f"the agent outside answered {answer.status}")
                    break
                except ConnectionRefusedError:
                    if time.monotonic() > deadline:
                        raise SystemExit("the agent outside is not ready") from None
                    time.sleep(0.05)
            yield script
        finally:
            running.kill()


def wrk_script(path: Path, name: str, token: str, port: int) -> Path:
    """What tells wrk to ask for a secret, where nobody reads the token off a command line."""
    path.write_text(
        f'wrk.path = "/secretsmanager/get?secretId={name}"\n'
        f'wrk.headers["X-Aws-Parameters-Secrets-Token"] = "{token}"\n-- {port}\n'
    )
    return path


def wrk_seconds(script: Path, seconds: float, before: Sequence[str] = ()) -> tuple[float, int]:
    """Seconds and answers of wrk at one connection; *before* are words that start it in another place.

    Raises `SystemExit` where an answer was not a 200.
    """
    port = re.search(r"^-- (\d+)$", script.read_text(), re.MULTILINE)
    assert port is not None, "the script names the port"
    words = [
        *before,
        "wrk",
        "-t1",
        "-c1",
        f"-d{max(1, round(seconds))}s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port[1]}",
    ]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+) requests in ([\d.]+)s", said)
    if found is None or "Non-2xx" in said or "Socket errors" in said:
        raise SystemExit(f"wrk did not get what it asked for:\n{said}")
    return float(found[2]), int(found[1])


def opened(bench: Any, access: str, language: str, memory: str = MEMORY) -> Any:
    """A fresh instance that hits its cache."""
    wanted = {"access": access, "language": language, "situation": "hit", "memory": memory}
    treatment = next(treatment for treatment in bench.plan.treatments if wanted.items() <= treatment.levels.items())
    subject = bench.spec(treatment, {}, None).subject()
    subject.open()
    return subject


def hits(subject: Any, count: int) -> tuple[float, int]:
    """Seconds and number of so many hits of an instance."""
    seen = [
        observation
        for observation in subject.visit(Work(count, settle=count // 2)).observations
        if observation.metric == "access"
    ]
    return sum(item.value for item in seen), sum(entry.count for entry in seen)


def sidecar_block(bench: Any, script: Path, rounds: int, seconds: float) -> dict[str, float]:
    """Seconds of a hit in one block, by the function in Go and by wrk."""
    subject = opened(bench, "sidecar", "go")
    try:
        spent, count = hits(subject, 100)
        count = max(1, min(2000, round(_BATCH_S * count / spent)))
        seen: dict[str, list[tuple[float, int]]] = {"function": [], "wrk": []}
        for _ in range(rounds):
            for arm in random.sample(list(seen), len(seen)):
                seen[arm].append(hits(subject, count) if arm == "function" else wrk_seconds(script, seconds))
        subject.close()
    finally:
        subject.kill()
    return {arm: sum(item for item, _ in own) / sum(entry for _, entry in own) for arm, own in seen.items()}


def dictionary_block(bench: Any, rounds: int) -> dict[str, float]:
    """Seconds of a hit in one block, by the function in Python and by pyperf."""
    name = bench.keeper.often(32).name
    loops = 500_000  # 50 ms: several periods of the quota

    def of_function() -> float:
        subject = opened(bench, "dictionary", "python")
        try:
            hits(subject, loops)
            own = [hits(subject, loops) for _ in range(rounds)]
            subject.close()
        finally:
            subject.kill()
        return sum(item for item, _ in own) / sum(count for _, count in own)

    arms = {"function": of_function, "pyperf": lambda: pyperf_seconds(name, loops)}
    return {arm: arms[arm]() for arm in random.sample(list(arms), len(arms))}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets_hits", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=10, help="fresh instances of each (10)")
    parser.add_argument("--rounds", type=int, default=4, help="in each of them (4)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of wrk in each round (1)")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is not installed\nhint: apt-get install wrk")

    heading("Hits of secrets beside pyperf and wrk")
    levels = {
        "memory": (MEMORY,),
        "situation": ("hit",),
        "language": ("python", "go"),
        "access": ("dictionary", "sidecar"),
    }
    request = RunRequest("default", levels, Stopping(margin=0.02), seed=1)
    plan = EXPERIMENT.plan(request, machine_snapshot(EXPERIMENT, request))
    if plan.skipped:
        raise SystemExit(f"{plan.skipped[0].reason}\nhint: {plan.skipped[0].hint}")
    with tempfile.TemporaryDirectory() as folder, EXPERIMENT.bench(plan) as bench:
        bench.start({})
        with agent_outside(bench, Path(folder)) as script:
            dictionary, sidecar = [], []
            for _ in range(given.blocks):
                dictionary.append(dictionary_block(bench, given.rounds))
                sidecar.append(sidecar_block(bench, script, given.rounds, given.seconds))

    def between(blocks: list[dict[str, float]], rival: str) -> PointInterval:
        return geometric_mean_interval([block["function"] / block[rival] for block in blocks], 0.95)

    def mean(blocks: list[dict[str, float]], arm: str) -> str:
        return f"{1e6 * sum(block[arm] for block in blocks) / len(blocks):.3g}"

    rows = [("dictionary, Python", dictionary, "pyperf"), ("sidecar, Go", sidecar, "wrk")]
    table(
        ["µs per hit", "function", "rival", "", "function / rival"],
        [
            [name, mean(blocks, "function"), mean(blocks, rival), rival, ratio(between(blocks, rival))]
            for name, blocks, rival in rows
        ],
        f"{given.blocks} blocks, {given.rounds} rounds; load {os.getloadavg()[0]:.1f} at the end",
    )
    print()
    near_one("a dictionary's hit beside pyperf", between(dictionary, "pyperf"), DICTIONARY_WITHIN)
    near_one("a sidecar's hit in Go beside wrk", between(sidecar, "wrk"), SIDECAR_WITHIN)


if __name__ == "__main__":
    main()

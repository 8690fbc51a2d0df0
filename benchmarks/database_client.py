"""The client of the experiment `database` beside pgbench: the latency of the same transactions.

    python -m benchmarks.database_client [--blocks 10]

Both ask the same PostgreSQL for the same rows, one at a time, by a fresh process each that has asked before. In every
block they take turns in random order; ratios are geometric means over blocks, with Student's t in logs (95 %). Of kept
connections the median of a turn counts, by pgbench's log of every transaction: on a busy machine the mean is that of
the few that waited for a processor. Of new ones pgbench gives the mean alone, with the connecting in it.

Needs what `sectax setup database` installs.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.output import heading, near_one, ratio, table
from sectax.experiments.database import parts
from sectax.experiments.database.client import PgClient
from sectax.experiments.database.levels import QUERIES, SCRAM, SELECT
from sectax.experiments.database.server import Postgres, new_passwords
from sectax.stats.student import geometric_mean_interval

NEAR = 0.05
COUNTS = {True: 2000, False: 40}  # transactions of a turn: kept, new
TURNS = 3  # of either in every block
_SCRIPT = f"\\set aid random(1, 100000)\n{QUERIES[SELECT]};\n"


def pgbench(connection: str, folder: Path, *, kept: bool) -> float:
    """Seconds of a transaction, connecting among them where every one has its own connection."""
    programs = parts.programs()
    assert programs is not None, "main has looked for it"
    password = re.search(r"password='([^']*)'", connection)
    assert password is not None
    place = connection.replace(password[0], "")
    words = [str(programs / "pgbench"), "-n", "-M", "simple", "-t", str(COUNTS[kept]), "-f", str(folder / "script")]
    words += ["-l", "--log-prefix", str(folder / "log")] if kept else ["-C"]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PGPASSWORD": password[1]}
    done = subprocess.run([*words, place], capture_output=True, text=True, env=environment, check=False)
    found = re.search(r"latency average = ([\d.]+) ms", done.stdout)
    if done.returncode or found is None:
        raise SystemExit(f"pgbench failed:\n{done.stderr}")
    if not kept:
        return float(found[1]) * 1e-3
    (log,) = folder.glob("log.*")
    took = [float(line.split()[2]) * 1e-6 for line in log.read_text().splitlines()]
    log.unlink()
    return statistics.median(took)


class Own:
    """Our client with one arm."""

    def __init__(self, connection: str, *, kept: bool) -> None:
        self._client = PgClient(str(parts.client()))
        self._client.join("a")
        self._client.hello()
        self._client.open("a", connection, QUERIES[SELECT], kept=kept, added_s=0)
        self._kept = kept

    def latency_s(self) -> float:
        elapsed = self._client.measure("a", COUNTS[self._kept], 60.0).elapsed_ns
        self._client.leave("a")
        return (statistics.median if self._kept else statistics.fmean)(elapsed) * 1e-9


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.database_client", description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=10)
    given = parser.parse_args()
    if parts.programs() is None or parts.client() is None:
        raise SystemExit("PostgreSQL is not installed\nhint: sectax setup database")

    heading("The PostgreSQL client beside pgbench")
    rows, ratios = [], {}
    with Postgres(new_passwords(), (SCRAM,)) as server, tempfile.TemporaryDirectory() as folder:
        Path(folder, "script").write_text(_SCRIPT)
        for level in ("disable", "require"):
            connection = server.connection(level)
            for kept in (True, False):
                ours: list[float] = []
                theirs: list[float] = []
                for _ in range(given.blocks):
                    turns: dict[bool, list[float]] = {True: [], False: []}
                    for is_ours in random.sample((True, False) * TURNS, 2 * TURNS):
                        if is_ours:
                            turns[True].append(Own(connection, kept=kept).latency_s())
                        else:
                            turns[False].append(pgbench(connection, Path(folder), kept=kept))
                    ours.append(statistics.fmean(turns[True]))
                    theirs.append(statistics.fmean(turns[False]))
                name = f"{level}, {'kept' if kept else 'new'}"
                compared = [own / other for own, other in zip(ours, theirs, strict=True)]
                ratios[name] = geometric_mean_interval(compared, 0.95)
                means = (f"{sum(item) / len(item) * 1e3:.3f}" for item in (ours, theirs))
                rows.append([name, *means, ratio(ratios[name])])
    table(["connection", "sectax, ms", "pgbench, ms", "sectax / pgbench"], rows, "Latency of a transaction")
    print()
    for name, interval in ratios.items():
        near_one(name, interval, NEAR)


if __name__ == "__main__":
    main()

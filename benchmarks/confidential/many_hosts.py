"""How much memory sectax needs for many hosts over ssh: itself, and the ssh clients that it starts.

    python -m benchmarks.confidential.many_hosts [--hosts 20] [--blocks 6]

An sshd on loopback with that many ports stands for the hosts, with keys made for it. The figure is the largest sum of
proportional set sizes (PSS: what processes share is counted once) of sectax and all that it has started, read every
half second. What runs on the hosts is the sshd's, and is not in it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.output import environment, heading, table, target
from tests.hosts import sshd

AT_MOST_MB = 200.0
_LOOK_EVERY_S = 0.5


def descendants(pid: int) -> list[int]:
    """This process and all that it has started."""
    found, waiting = [], [pid]
    while waiting:
        at = waiting.pop()
        found.append(at)
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{at}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return found


def pss_mb(pid: int) -> float:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024
    return 0.0


def measure(hosts: int, blocks: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with sshd.running(folder / "sshd", hosts=hosts) as server:
            named = [f"--host=h{number:02}={where}" for number, where in enumerate(server.names, 1)]
            words = ["run", "confidential", "--quick", "--blocks", str(blocks), "--level", "test=mutex", *named]
            process = subprocess.Popen(
                [sys.executable, "-m", "sectax", *words, "--out", str(folder / "r.sectax")],
                env=environment() | {"SECTAX_SSH_CONFIG": str(server.config)},
                stdout=subprocess.DEVNULL,
            )
            most, own, number = 0.0, 0.0, 0  # the largest sum, what of it is sectax's, the most processes at once
            while process.poll() is None:
                parts = [pss_mb(descendant) for descendant in descendants(process.pid)]
                number = max(number, len(parts))
                if sum(parts) > most:
                    most, own = sum(parts), parts[0]
                time.sleep(_LOOK_EVERY_S)
    heading(f"{hosts} hosts over ssh, {blocks} blocks of one test")
    rows = [(f"{most:.0f} MB", f"{own:.0f} MB", str(number))]
    table(("sectax and its ssh clients", "of that sectax itself", "processes at most"), rows)
    if process.returncode:
        print(f"the run ended with exit status {process.returncode}")
        return 1
    target(f"{hosts} hosts over ssh", most, AT_MOST_MB, f"{most:.0f} MB")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.confidential.many_hosts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=6)
    given = parser.parse_args()
    if shutil.which("sysbench") is None or not sshd.SSHD.exists() or os.geteuid() != 0:
        print("not measured: this needs sysbench, sshd and root")
        return 0
    return measure(given.hosts, given.blocks)


if __name__ == "__main__":
    sys.exit(main())

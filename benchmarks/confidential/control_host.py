"""This machine by ssh against itself: what the connection, the login's environment and our shell over ssh add.

    python -m benchmarks.confidential.control_host [--tests cpu,memory-write,syscalls,fileio] [--budget 200]

An sshd of its own on loopback, and the run's own verdicts: none of the comparisons should find a difference, and their
intervals should be narrow enough for one of 5 % to be found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.output import environment, heading, table, target
from tests.hosts import sshd

MOST_WIDTH = 0.05  # either way, of what the connection adds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", default="cpu,memory-write,syscalls,fileio")
    parser.add_argument("--budget", default="200", help="seconds of the run")
    asked = parser.parse_args()
    heading("This machine by ssh against itself")
    with tempfile.TemporaryDirectory() as folder, sshd.running(Path(folder, "sshd")) as server:
        hosts = ["--host", "here=local", "--host", f"over-ssh={server.name}"]
        words = ["run", "confidential", *hosts, "--level", f"test={asked.tests}", "--budget", f"{asked.budget}s"]
        done = subprocess.run(
            [sys.executable, "-m", "sectax", *words, "--json", "--out", f"{folder}/r.sectax"],
            env=environment() | {"SECTAX_SSH_CONFIG": str(server.config)},
            stdout=subprocess.PIPE,
            check=True,
        )
    document = json.loads(done.stdout)
    rows, differ, widest = [], 0, 0.0
    for finding in document["findings"]:
        effect = finding["effect"]
        if finding["metric"] != "time" or effect is None:
            continue
        differ += finding["verdict"]["id"].startswith(("slower", "faster"))
        widest = max(widest, *(abs(effect[f"cost_ratio_{end}"] / effect["cost_ratio"] - 1) for end in ("low", "high")))
        rows.append([finding["treatment"], finding["verdict"]["id"], str(effect["blocks"]), _percent(effect)])
    table(["", "verdict", "blocks", "over ssh against here"], rows, "Time of one operation")
    print(f"\n  load of the machine at the end {os.getloadavg()[0]:.1f}")
    found = float(differ) if rows else None
    target("comparisons that find a difference", found, 0, f"{differ} of {len(rows)}, at most 0")
    target(
        "half of the widest interval", widest if rows else None, MOST_WIDTH, f"{widest:.1%}, at most {MOST_WIDTH:.0%}"
    )


def _percent(effect: dict[str, float]) -> str:
    point, low, high = (100 * (effect[name] - 1) for name in ("cost_ratio", "cost_ratio_low", "cost_ratio_high"))
    return f"{point:+.1f} % ({low:+.1f} to {high:+.1f})"


if __name__ == "__main__":
    main()

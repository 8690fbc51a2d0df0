"""What the local Lambda's server keeps in memory after hostile requests, archives and registrations.

    python -m benchmarks.lambda_.hostile [--number 10000]

Of each kind so many, as the tests of the same name send them: requests that are cut, false or reset, a tenth of them
on connections that stay; archives that lead out of their folder, lie or are damaged, published as layers and laid over
each other; extensions with names of 1.1 MB that one function registers. Then every function and layer is deleted. The
attacks assert, too, that the server lives, answers, and has touched nothing outside its folder.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from benchmarks.output import heading, table, target
from tests.lambda_local.canary import Memory
from tests.lambda_local.test_hostile_archives import hostile_archives
from tests.lambda_local.test_hostile_registrations import hostile_registrations
from tests.lambda_local.test_hostile_requests import hostile_requests

MOST_MB = 60.0
ATTACKS = {"requests": hostile_requests, "archives": hostile_archives, "registrations": hostile_registrations}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=10_000)
    asked = parser.parse_args()
    heading(f"The local Lambda after {asked.number} hostile requests, archives and registrations")
    seen: dict[str, Memory] = {}
    for name, attack in ATTACKS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)  # noqa: S103 - the function writes there what it was answered
            seen[name] = attack(Path(folder), asked.number)
    rows = [
        [name, f"{memory.began_mb:.1f}", f"{memory.peak_mb:.1f}", f"{memory.ended_mb:.1f}"]
        for name, memory in seen.items()
    ]
    table(["", "before", "most", "after"], rows, "Memory of the server, MB")
    most = max(memory.grown_mb for memory in seen.values())
    target("memory kept after all is deleted", most, MOST_MB, f"{most:.1f} MB, at most {MOST_MB:g}")


if __name__ == "__main__":
    main()

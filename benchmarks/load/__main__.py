"""Load this machine on purpose, for a bounded time.

    python -m benchmarks.load bursts --workers 6 --seconds 60 [--nice N] [--seed N]

Kinds: `busy` loops; `bursts`, loops that come and go within 5 to 300 ms, unevenly over the processors; `compilers`
that start and end; `writers` that bring what they write to the disk; `mixed`, five of these all the time and the
others in bursts. It ends by itself, also when what started it dies, and leaves no files.
"""

from __future__ import annotations

import argparse

from benchmarks.load.kinds import KINDS, USUAL_WORKERS
from benchmarks.load.workers import supervise


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument(
        "--workers", type=int, help="processes (" + ", ".join(f"{k} {n}" for k, n in USUAL_WORKERS.items()) + ")"
    )
    parser.add_argument("--seconds", type=float, default=60, help="end after so long (60)")
    parser.add_argument(
        "--nice", type=int, default=0, help="how much nicer than whoever starts them; below 0: root (0)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the bursts (1)")
    parser.add_argument("--with-stdin", action="store_true", help="end at the end of stdin too")
    given = parser.parse_args()
    workers = USUAL_WORKERS[given.kind] if given.workers is None else given.workers
    if not 1 <= workers <= 64:
        parser.error("--workers is a number from 1 to 64")
    if not 0 < given.seconds <= 6 * 3600:
        parser.error("--seconds is above 0 and at most six hours")
    supervise(given.kind, workers, given.seconds, given.nice, given.seed, with_stdin=given.with_stdin)


if __name__ == "__main__":
    main()

"""How the speed of this machine wanders: one PHP process signs in batches of 1 ms without a pause.

    python -m benchmarks.machine_speed

Prints how the batch times resemble each other at growing distances. Where neighbours resemble each other and distant
ones do not, arms that take turns quickly share the machine's speed, and those that take turns slowly do not.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.output import heading, table
from sectax.experiments.jwt.experiment import signature_subject
from sectax.experiments.jwt.keys import make_keys
from sectax.model.subject import Work

LEVELS = {
    "language": "php",
    "operation": "sign",
    "algorithm": "ES256",
    "key_use": "parsed-once",
    "layer": "primitive",
}
DISTANCES = (1, 2, 5, 10, 20, 50, 100, 300)
# About a millisecond of ES256 in PHP.
OPERATIONS = 40
SETTLING = 100


def batch_times(batches: int) -> NDArray[np.float64]:
    """Seconds per operation of batches that follow each other, shape (batches,), the warm-up left out."""
    subject = signature_subject(LEVELS, make_keys(["ES256"])).subject()
    subject.open()
    times = [
        subject.visit(Work(count=OPERATIONS)).observations[0].value / OPERATIONS for _ in range(batches + SETTLING)
    ]
    subject.close()
    return np.array(times[SETTLING:])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, default=3000, help="of about 1 ms each, in each of three processes")
    arguments = parser.parse_args()
    heading("How the speed of this machine wanders")
    rows = []
    for process in range(3):
        times = batch_times(arguments.batches)
        logs = np.log(times) - np.log(times).mean()
        alike = [float((logs[far:] * logs[:-far]).mean() / logs.var()) for far in DISTANCES if far < len(logs)]
        spread = f"{100 * times.std() / times.mean():.1f} %"
        rows.append([str(process + 1), f"{1e6 * np.median(times):.2f}", spread, *(f"{each:.2f}" for each in alike)])
    table(["process", "median, µs", "spread", *(f"{far} ms" for far in DISTANCES)], rows)


if __name__ == "__main__":
    main()

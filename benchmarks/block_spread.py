"""How the value of each treatment differs from block to block of one run, in per cent of its median.

    python -m benchmarks.block_spread RUN [--metric cpu_time]

Where all treatments of a block are slow at once, it was the machine; where they are slow by different factors, no
pairing of treatments within the block can take that out.
"""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

import numpy as np

from benchmarks.output import table
from sectax.record.reader import RunReader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run file")
    parser.add_argument("--metric", default="", help="the metric (the run's first one)")
    given = parser.parse_args()
    with contextlib.closing(RunReader.open(given.run)) as reader:
        measured = reader.measured()
    metric = given.metric or measured.plan.metrics[0].name
    rows = []
    for treatment, blocks in measured.values[metric].items():
        logs = np.log([value for _, value in sorted(blocks.items())])
        off = 100 * np.expm1(logs - np.median(logs))
        spread = f"{100 * logs.std(ddof=1):.1f} %" if logs.size > 1 else "–"
        rows.append([treatment, spread, " ".join(f"{item:+.1f}" for item in off)])
    table(["treatment", "spread", f"{metric} of each block, % off the median"], rows)


if __name__ == "__main__":
    main()

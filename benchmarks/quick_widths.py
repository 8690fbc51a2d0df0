"""How narrow the answers of the quick presets are, and how much of their time is measured.

python -m benchmarks.quick_widths [NAME …] [--turns 3]
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.efficiency import half_width, primary, run, shown
from benchmarks.output import heading, table, target
from sectax.model.finding import Finding
from sectax.model.measured import Measured
from sectax.model.time_spent import time_spent

_COUNTED, _COUNTED_OF_SPACED = 0.5, 0.25


@dataclass(frozen=True)
class Preset:
    """A quick run as a user starts it.

    Attributes:
        narrow: of a comparison, the half-width that it is to reach, a share; None where none is asked of it.
        share: the part of those that reach it.
    """

    words: tuple[str, ...]
    seconds: float
    narrow: Callable[[Finding], float | None]
    share: float = 1.0
    counted: float = _COUNTED


def _of_sidecar(finding: Finding) -> float | None:
    return 0.10 if finding.comparison.treatment.endswith("/sidecar") else None


def _of_runc(finding: Finding) -> float | None:
    if not finding.comparison.treatment.endswith("/runc"):
        return None
    return 0.03 if "cpu" in finding.comparison.treatment else 0.05


PRESETS = {
    "jwt": Preset(("jwt", "--quick"), 30, lambda _: 0.06, share=0.5),
    "s3": Preset(("s3", "--quick"), 80, lambda _: 0.12, share=8 / 12),
    "hmac": Preset(("hmac", "--quick"), 40, lambda _: 0.12, counted=_COUNTED_OF_SPACED),
    "secrets": Preset(("secrets", "--quick"), 130, _of_sidecar),
    "confidential": Preset(("confidential", "--quick"), 120, _of_runc),
}


def is_narrow(finding: Finding, wanted: float) -> bool:
    half = None if finding.effect is None else half_width(finding.effect)
    return half is not None and half <= math.log1p(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick_widths", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *PRESETS], metavar="NAME", help=", ".join(PRESETS))
    parser.add_argument("--turns", type=int, default=3, help="runs of each (3)")
    given = parser.parse_args()
    rows: list[Sequence[str]] = []
    narrow: dict[str, list[float]] = {}
    counted: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(given.turns):
            for name in given.names or PRESETS:
                preset, load = PRESETS[name], os.getloadavg()[0]
                measured = run(preset.words, preset.seconds, Path(folder, f"{name}-{turn}.sectax"))
                if isinstance(measured, str):
                    print(f"{name}: {measured}", flush=True)
                    narrow.setdefault(name, []).append(0.0)
                    continue
                rows += _rows(f"{name} {turn + 1}", measured, load)
                reached = [is_narrow(one, wanted) for one in primary(measured) if (wanted := preset.narrow(one))]
                narrow.setdefault(name, []).append(statistics.fmean(reached) if reached else 0.0)
                spent = time_spent(measured)
                counted.setdefault(name, []).append(0.0 if spent is None else spent.counted)
    heading("Half-widths of the quick presets")
    table(["comparison", "blocks", "half-width", "verdict", "load"], rows)
    print()
    for name, shares in narrow.items():
        _worst(name, shares, PRESETS[name].share, "of its answers are narrow enough")
    for name, shares in counted.items():
        _worst(name, shares, PRESETS[name].counted, "of a block's time counts")


def _worst(name: str, shares: Sequence[float], wanted: float, what: str) -> None:
    least = min(shares)
    target(name, least, wanted, f"{least:.0%} {what} in the worst run, {wanted:.0%} asked", at_least=True)


def _rows(name: str, measured: Measured, load: float) -> list[Sequence[str]]:
    return [
        (
            f"{name}: {finding.comparison.treatment}",
            str(0 if finding.effect is None else finding.effect.blocks),
            shown(None if finding.effect is None else half_width(finding.effect)),
            finding.verdict,
            f"{load:.1f}",
        )
        for finding in primary(measured)
    ]


if __name__ == "__main__":
    main()

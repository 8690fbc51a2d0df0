"""Shows what is read of a file, and what the checks say: `python -m benchmarks.audit_corpus.shown FILE…`."""

from __future__ import annotations

import sys
from pathlib import Path

from sectax.audit.checks.registry import review
from sectax.audit.reading.registry import read


def main() -> None:
    for name in sys.argv[1:]:
        _grammar, evidence = read(Path(name).read_text(encoding="utf-8", errors="replace"))
        for _trouble in evidence.troubles:
            pass
        for one in evidence.series:
            ", ".join(f"{claim.statistic} {claim.value:.6g} ± {claim.step:.1g}" for claim in one.claims)
            f"; {len(one.values)} values" if len(one.values) else ""
        for part in (evidence.series[0].work, evidence.series[0].setting):
            {name: value for name, value in vars(part).items() if value not in (None, {}, ())}
        for outcome in review(evidence):
            for warning in outcome.warnings:
                if not warning.missing:
                    pass


if __name__ == "__main__":
    main()

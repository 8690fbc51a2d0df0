"""Shows what is read of a file, and what the checks say: `python -m sectax.audit.reading FILE…`."""

from __future__ import annotations

import sys
from pathlib import Path

from sectax.audit.checks.registry import review
from sectax.audit.reading.registry import read


def main() -> None:
    for name in sys.argv[1:]:
        grammar, evidence = read(Path(name).read_text(encoding="utf-8", errors="replace"))
        print(f"{name}: {grammar.title}, {evidence.contrast}")
        for trouble in evidence.troubles:
            print("  trouble:", trouble)
        for one in evidence.series:
            claims = ", ".join(f"{claim.statistic} {claim.value:.6g} ± {claim.step:.1g}" for claim in one.claims)
            values = f"; {len(one.values)} values" if len(one.values) else ""
            print(f"  {one.id} | {one.quantity} {dict(one.levels)}: {claims}{values}")
        for part in (evidence.series[0].work, evidence.series[0].setting):
            told = {name: value for name, value in vars(part).items() if value not in (None, {}, ())}
            print("  ", type(part).__name__, told)
        for outcome in review(evidence):
            for warning in outcome.warnings:
                if not warning.missing:
                    print(f"  {warning.severity} {warning.check}: {warning.saw}: {warning.meaning}")


if __name__ == "__main__":
    main()

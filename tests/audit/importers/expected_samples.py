"""What every check says of every sample, to be looked at before it is expected.

`python -m tests.audit.importers.expected_samples > tests/audit/importers/expected_samples.toml`
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from sectax.audit.registry import checks, review
from tests.audit.importers.samples import FILES, read, sample
from tests.audit.matrix import State, states

EXPECTED = Path(__file__).with_name("expected_samples.toml")

_HEAD = """# What each check must say of each sample: [sample], check = { state = of so many figures }.
#
# States: F and W (it fires), silent (it applies, and finds nothing), cannot (be checked). A check that is not listed
# does not apply. What is said of a comparison, or of the source as a whole, counts as one. Made by expected_samples.py.
"""


def said(name: str) -> dict[str, dict[str, int]]:
    """Check -> state -> how many figures, of a sample; checks that do not apply to any of it are left out."""
    evidence = read(sample(name))
    figures = [figure.id for figure in evidence.figures]
    rows = {}
    for outcome in review(evidence):
        counted = Counter(states(outcome, figures).values())
        del counted[State.DOES_NOT_APPLY]
        if counted:
            rows[outcome.check] = {state.value: counted[state] for state in State if counted[state]}
    return rows


def expected() -> dict[str, dict[str, dict[str, int]]]:
    return tomllib.loads(EXPECTED.read_text(encoding="utf-8"))


def document() -> str:
    parts = [_HEAD]
    for name in FILES:
        parts.append(f'["{name}"]')
        rows = said(name)
        for check in (each.id for each in checks if each.id in rows):
            counts = ", ".join(f"{state} = {count}" for state, count in rows[check].items())
            parts.append(f"{check} = {{ {counts} }}")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    print(document(), end="")

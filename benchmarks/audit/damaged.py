"""Whether damaged outputs make the audit fail: it must read them, or say in one sentence why it cannot.

python -m benchmarks.audit.damaged [--inputs 1000] [--seed 0] [--only ab]

Every input is one of the samples of a format with one to four damages: lines or characters lost, doubled, moved or cut,
numbers replaced by others, bytes that are no text.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from sectax.audit.checks.registry import review
from sectax.audit.reading import registry
from sectax.audit.reading.asked import Columns
from sectax.audit.tables.table import read_table
from sectax.formats.bad_input import BadInput

SAMPLES = Path(__file__).parents[2] / "tests" / "audit" / "tools" / "samples"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NUMBERS = ("0", "-1", "1e308", "1e-320", "nan", "inf", "9" * 25, "0.0", "1,5", "1.5.2", "", "٣", "1_000", "²")
_PIECES = ("\x00", "\ufeff", "é", "{", "]", '"', ",", ";;", "\t", "  ", "±", "µ", "--", "%", "\\", "null", "true", "= ")
_MOST_LINES = 40


def damaged(text: str, rng: random.Random) -> str:
    """The text with one to four damages."""
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(8):
            case 0:
                del lines[at : at + rng.randint(1, 3)]
            case 1:
                lines.insert(other, lines[at])
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines = lines[:at] if rng.random() < 0.5 else lines[at:]
            case 4:
                cut = rng.randint(0, len(lines[at]))
                lines[at] = lines[at][:cut] if rng.random() < 0.5 else lines[at][cut:]
            case 5:
                cut = rng.randint(0, len(lines[at]))
                lines[at] = f"{lines[at][:cut]}{rng.choice(_PIECES)}{lines[at][cut:]}"
            case _:
                numbers = list(_NUMBER.finditer(lines[at]))
                if numbers:
                    number = rng.choice(numbers)
                    lines[at] = f"{lines[at][: number.start()]}{rng.choice(_NUMBERS)}{lines[at][number.end() :]}"
        text = "\n".join(lines)
    return text


def fault_of(name: str, text: str) -> str:
    """The error that reading and judging a text raises; nothing where all is well."""
    try:
        evidence = read_table(text.split("\n"), Columns()) if name == "csv" else registry.read(text, name)[1]
        review(evidence)
    except BadInput:
        return ""
    except Exception:  # every error is what is looked for
        return traceback.format_exc(limit=-3)
    return ""


def samples() -> dict[str, list[str]]:
    """The samples of each format, of long ones the first lines."""
    found: dict[str, list[str]] = {}
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix in (".txt", ".json", ".csv", ".tsv"):
            text = path.read_text("utf-8")
            name = registry.recognised(text) or "csv"
            whole = path.suffix == ".json"
            found.setdefault(name, []).append(text if whole else "\n".join(text.split("\n")[:_MOST_LINES]))
    # A table in its other forms: with semicolons, with tabs, of Markdown, with blanks.
    found["csv"] += [text.replace(",", one) for text in found["csv"] for one in (";", "\t", " | ", "   ")]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1000, help="of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    asked = parser.parse_args()
    faults: Counter[str] = Counter()
    for name, texts in samples().items():
        if asked.only not in (None, name):
            continue
        rng, began, slowest = random.Random(f"{asked.seed} {name}"), time.perf_counter(), 0.0
        for _ in range(asked.inputs):
            text = damaged(rng.choice(texts), rng)
            start = time.perf_counter()
            faults[fault_of(name, text)] += 1
            slowest = max(slowest, time.perf_counter() - start)
        print(
            f"{name}: {asked.inputs} inputs in {time.perf_counter() - began:.0f} s, slowest {slowest:.2f} s", flush=True
        )
    del faults[""]
    for fault, count in faults.most_common():
        print(f"\n{count} times:\n{fault}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

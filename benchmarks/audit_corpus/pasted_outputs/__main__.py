"""Whether the audit says the same of real files, however they are pasted.

python -m benchmarks.audit_corpus.pasted_outputs [--files FOLDER] [--every-way] [--of N/PARTS] [--all]

The files are those of audit_corpus. Each is audited as it is, and then in each way; what is said must be the same: the
kind, the figures, every finding with its severity and its words, but for numbers of lines. Files of CSV are left out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from benchmarks.audit_corpus.__main__ import FILES, entries, interval
from benchmarks.audit_corpus.pasted_outputs.said import differences, said
from benchmarks.audit_corpus.pasted_outputs.ways import COMMON, WAYS
from benchmarks.output import heading, table, target

AT_LEAST = 0.99
# Twenty times as long, and nothing else in them.
LONGEST = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.audit_corpus.pasted_outputs", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--files", type=Path, default=FILES, help=f"folder of the files ({FILES})")
    parser.add_argument("--every-way", action="store_true", help=f"all {len(WAYS)} ways instead of {len(COMMON)}")
    parser.add_argument("--of", default="1/1", help="a part of the files: 1/4, 2/4, …")
    parser.add_argument("--all", action="store_true", help="name what differs")
    given = parser.parse_args()
    part, parts = map(int, given.of.split("/"))
    ways = tuple(WAYS) if given.every_way else COMMON
    texts: list[tuple[str, Path]] = []
    for entry in entries()[part - 1 :: parts]:
        path = given.files / entry.sha256
        if entry.format != "csv" and path.is_file() and path.stat().st_size <= LONGEST:
            texts.append((entry.name, path))
    heading(f"{len(texts)} real files, each pasted in {len(ways)} ways")
    differ: Counter[str] = Counter()
    read = 0
    for name, path in texts:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        read += 1
        plain = said(text)
        for way in ways:
            differences_ = differences(plain, said(WAYS[way](text)))
            differ[way] += bool(differences_)
            if differences_ and given.all:
                print(f"  {name}, {way}:")
                print("\n".join(f"    {line[:160]}" for line in differences_[:4]))
    table(["way", "says the same"], [[way, interval(read - differ[way], read)] for way in ways])
    pairs = read * len(ways)
    same = pairs - differ.total()
    print()
    target("the same is said", same / max(pairs, 1), AT_LEAST, f"{same} of {pairs}", at_least=True)


if __name__ == "__main__":
    main()

"""What the audit finds of defects that are planted into healthy outputs, by format and kind.

python -m benchmarks.audit_corpus.planted_prints [--only wrk] [--files FOLDER] [--prints 3] [--seed 0] [--missed]

Every kind is planted into the healthy samples of the tests, healthy prints that are made up, and the healthy files of
the corpus, as far as FOLDER has them (`python -m benchmarks.audit_corpus --fetch`). It is found where the audit says of
the planted text what must be said of this kind, and did not say it of the original.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.audit_corpus.__main__ import FILES
from benchmarks.audit_corpus.planted_prints.frame import formats, is_accused, originals, plant, said
from benchmarks.output import heading, share, table, target

RECALL_AT_LEAST, ACCUSED_AT_MOST = 0.95, 0.01


def main() -> None:
    every = formats()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.audit_corpus.planted_prints", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--only", choices=[format_.name for format_ in every], action="append")
    parser.add_argument("--files", type=Path, default=FILES, help=f"folder of the corpus ({FILES})")
    parser.add_argument("--prints", type=int, default=3, help="so many of each healthy print that is made up (3)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--missed", action="store_true", help="name the originals in which a kind was missed")
    given = parser.parse_args()
    heading("Defects planted into healthy outputs")
    whole, found, healthy, accused = 0, 0, 0, 0
    kinds, whole_kinds = 0, 0
    for of in every:
        if given.only and of.name not in given.only:
            continue
        texts = list(originals(of, given.files, given.prints))
        before = {name: said(text, of.columns) for name, text in texts}
        falsely = [name for name, heard in before.items() if is_accused(of, heard)]
        healthy, accused = healthy + len(texts), accused + len(falsely)
        rows, missed = [], []
        for kind in of.kinds:
            tally = plant(of, kind, texts, before, given.seed)
            whole, found = whole + tally.planted, found + tally.found
            kinds, whole_kinds = kinds + 1, whole_kinds + (tally.planted > 0 and not tally.missed)
            rows.append([kind.name, kind.finds, share(tally.found, tally.planted)])
            missed += [f"  missed: {kind.name}: {name}" for name in tally.missed]
        table(["kind", "to be said", "found"], rows, f"{of.name}: {len(texts)} originals, {len(falsely)} accused")
        for line in [*(f"  accused: {name}" for name in falsely), *missed] if given.missed else ():
            print(line)
    print()
    if whole:
        target("recall", found / whole, RECALL_AT_LEAST, f"{share(found, whole)}, at least 95 %", at_least=True)
        print(f"                kinds found wherever they were planted: {share(whole_kinds, kinds)}")
        target(
            "healthy originals accused", accused / healthy, ACCUSED_AT_MOST, f"{share(accused, healthy)}, at most 1 %"
        )


if __name__ == "__main__":
    main()

"""How much the audit finds in real files, and how often it accuses what is right.

python -m benchmarks.audit_corpus [--files FOLDER] [--fetch] [--all] [--sources]

The files are other people's, from public repositories, and are not in this one: `corpus.toml` and the fresh sets beside
it name each by repository, commit and path, with its SHA-256, its licence and what somebody found in it who read it
before the audit did. `--fetch` brings those that are missing into FOLDER, with git. Nothing is audited whose hash
differs. What has no commit, or is `copied`, is an output in a thread (`issues/7`, `pull/7`) or on a page: copy it into
FOLDER under its hash, with a line end behind its last line.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from benchmarks.output import heading, table, target
from sectax.cli.audit_target import Columns, audit
from sectax.model.errors import SectaxError
from sectax.model.finding import Severity
from sectax.stats.binomial import clopper_pearson

LIST = Path(__file__).with_name("corpus.toml")
FILES = Path("audit-corpus")
HOST = "https://github.com"
RECALL_AT_LEAST, ACCUSED_AT_MOST = 0.85, 0.01
# How many values a quantile needs is a fact about their number, and every small run has it.
ALWAYS = frozenset({"unsupported-quantile"})
# Where nothing was measured there is nothing to audit, and the refusal says so.
_WORDS_OF_A_REFUSAL = ("nothing was measured", "cut short")
_SAID_BY_A_REFUSAL = frozenset({"zero-event-run", "said-by-the-tool"})


@dataclass(frozen=True)
class Entry:
    """One file of the corpus.

    Attributes:
        lines: 'first-last' where it is a part of the file at *path*.
        finds: what is to be found, each 'F check' or 'W check', with several checks parted by '|' where any will do. F
            must be marked F; for W either will do.
        may: checks that may mark it F besides.
        refused: why it holds no figures, where the audit must refuse it.
        why: what is wrong, in words.
        copied: whether it was copied by hand from a page or a thread, so that its bytes may not be those of the source.
        amended: what the judge had overlooked, and the audit showed; it counts neither as a find nor as an accusation.
        set: 'tuned' where the checks were changed after this file was seen; 'fresh' with a date where they were not.
        first_sight: of a fresh file, what the audit made of it before anything was changed, matched by hand.
    """

    repository: str
    path: str
    sha256: str
    format: str
    licence: str
    set: str
    commit: str = ""
    lines: str = ""
    options: Sequence[str] = ()
    finds: Sequence[str] = ()
    may: Sequence[str] = ()
    refused: str = ""
    why: str = ""
    copied: bool = False
    amended: str = ""
    first_sight: str = ""

    @property
    def healthy(self) -> bool:
        return not (self.finds or self.refused or self.amended)

    @property
    def name(self) -> str:
        return f"{self.repository}: {self.path}"


@dataclass
class Count:
    """Of one set of files."""

    faults: int = 0
    found: int = 0
    healthy: int = 0
    accused: int = 0
    files: int = 0
    falsely: int = 0
    words: list[str] = field(default_factory=list)

    def add(self, other: Count) -> None:
        for attribute in fields(self):
            setattr(self, attribute.name, getattr(self, attribute.name) + getattr(other, attribute.name))


def entries() -> list[Entry]:
    lists = (LIST, *sorted(LIST.parent.glob("fresh_*.toml")))
    return [Entry(**row) for path in lists for row in tomllib.loads(path.read_text(encoding="utf-8"))["file"]]


def judged(entry: Entry, path: Path, count: Count) -> None:
    """Audit one file, and count what was found and what was not."""
    said: set[tuple[str, str]] = set()
    refused = crashed = ""
    try:
        # Anything may be a CSV; every other format is to be recognised.
        audited = audit(str(path), "csv" if entry.format == "csv" else None, _columns(entry.options))
        said = {(warning.severity.value, check.check) for check in audited.checks for warning in check.warnings}
        if audited.kind != entry.format:
            count.words.append(f"{entry.name}: taken for {audited.kind}, and is {entry.format}")
    except SectaxError as error:
        refused = f"{error} {error.hint}"
    except Exception as error:  # The other files are to be judged too.
        crashed = f"{type(error).__name__}: {error}"
    count.files += 1
    count.healthy += entry.healthy
    if entry.refused:
        count.faults += 1
        count.found += bool(refused)
    if crashed:
        count.words.append(f"{entry.name}: crashed: {crashed}")
    elif entry.refused and not refused:
        count.words.append(f"{entry.name}: is not refused")
    # A refusal that says what is wrong with the run has found it.
    by_refusal = _SAID_BY_A_REFUSAL if any(word in refused for word in _WORDS_OF_A_REFUSAL) else frozenset()
    expected = set(entry.may) | ALWAYS
    missed = []
    for find in entry.finds:
        severity, _, one_pattern = find.partition(" ")
        checks = set(one_pattern.split("|"))
        expected |= checks
        enough = {"F"} if severity == Severity.FATAL.value else {"F", "W"}
        count.faults += 1
        if checks & by_refusal or any(one in enough and check in checks for one, check in said):
            count.found += 1
        else:
            missed.append(find)
            count.words.append(f"{entry.name}: missed {find} ({entry.why})")
    if refused and not entry.refused and (missed or not entry.finds):
        count.words.append(f"{entry.name}: refused: {refused}")
    unexpected = {check for one, check in said if one == Severity.FATAL.value} - expected
    if unexpected:
        count.words.append(f"{entry.name}: F that nobody expected: {', '.join(sorted(unexpected))}")
    wrongly = bool(unexpected or crashed or (refused and not entry.refused and (missed or not entry.finds)))
    count.falsely += wrongly
    count.accused += wrongly and entry.healthy


def _columns(options: Sequence[str]) -> Columns:
    """What the options of a command say of a file's columns and levels."""
    said: dict[str, list[str]] = defaultdict(list)
    for name, value in zip(options[::2], options[1::2], strict=True):
        said[name.removeprefix("--")].append(value)
    value, by = tuple(said.pop("value", [])), ",".join(said.pop("by", []))
    return Columns(value, by=tuple(filter(None, by.split(","))), **{name: values[-1] for name, values in said.items()})


def interval(events: int, of: int) -> str:
    if not of:
        return "none"
    low, high = clopper_pearson(events, of)
    return f"{events} of {of}, {100 * events / of:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def fetch(wanted: Iterable[Entry], folder: Path) -> None:
    """Bring files with git, one shallow fetch for each repository and commit."""
    commits: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in wanted:
        if entry.copied or not entry.commit:
            print(f"  to be copied by hand: {entry.name} as {entry.sha256}")
            continue
        commits[entry.repository, entry.commit].append(entry)
    for (repository, commit), files in commits.items():
        with tempfile.TemporaryDirectory() as clone:
            git = ["git", "-C", clone]
            subprocess.run([*git, "init", "-q"], check=True)
            brought = subprocess.run(
                [*git, "fetch", "-q", "--depth", "1", f"{HOST}/{repository}.git", commit], check=False
            )
            if brought.returncode:
                print(f"  not there: {repository} at {commit}")
                continue
            for entry in files:
                shown = subprocess.run([*git, "show", f"{commit}:{entry.path}"], capture_output=True, check=True)
                (folder / entry.sha256).write_bytes(part(shown.stdout, entry.lines))


def part(content: bytes, lines: str) -> bytes:
    if not lines:
        return content
    first, last = map(int, lines.split("-"))
    return b"\n".join(content.split(b"\n")[first - 1 : last]) + b"\n"


def sources(every: Iterable[Entry]) -> Iterator[list[str]]:
    """Repository, licence, and how many files of which formats."""
    of: dict[str, list[Entry]] = defaultdict(list)
    for entry in every:
        of[entry.repository].append(entry)
    for repository in sorted(of, key=str.lower):
        formats = sorted({entry.format for entry in of[repository]})
        yield [repository, of[repository][0].licence, ", ".join(formats), str(len(of[repository]))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit_corpus", description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=Path, default=FILES, help=f"folder of the files ({FILES})")
    parser.add_argument("--fetch", action="store_true", help="bring what is missing from its repository")
    parser.add_argument("--all", action="store_true", help="name every file that was judged otherwise")
    parser.add_argument("--sources", action="store_true", help="only list repositories and licences")
    given = parser.parse_args()
    every = entries()
    if given.sources:
        table(["repository", "licence", "formats", "files"], list(sources(every)))
        return
    heading(f"The audit of {len(every)} real files")
    missing = [entry for entry in every if not (given.files / entry.sha256).is_file()]
    if missing and given.fetch:
        given.files.mkdir(parents=True, exist_ok=True)
        fetch(missing, given.files)
    counts: dict[str, Count] = {"all": Count()}
    absent = 0
    for entry in every:
        path = given.files / entry.sha256
        if not path.is_file():
            absent += 1
            continue
        if hashlib.sha256(path.read_bytes()).hexdigest() != entry.sha256:
            raise SystemExit(f"{path} is not the file that was judged")
        one = Count()
        judged(entry, path, one)
        for name in ("all", f"{entry.set} files", entry.format):
            counts.setdefault(name, Count()).add(one)
    _report(counts, absent, words=given.all)


def _report(counts: dict[str, Count], absent: int, *, words: bool) -> None:
    whole = counts.get("tuned files", counts["all"])
    if absent:
        print(f"\n{absent} files are not here: --fetch brings them (git, {HOST})")
    if not whole.files:
        return
    rows = [
        [
            name,
            str(count.files),
            interval(count.found, count.faults),
            interval(count.accused, count.healthy),
            interval(count.falsely, count.files),
        ]
        for name, count in counts.items()
    ]
    table(["set", "files", "faults found", "healthy files accused", "files with an F nobody expected"], rows)
    for word in counts["all"].words if words else ():
        print(f"  {word}")
    print()
    recall = whole.found / whole.faults
    target("recall", recall, RECALL_AT_LEAST, f"{100 * recall:.1f} %, at least 85 %", at_least=True)
    share = whole.accused / max(whole.healthy, 1)
    target("healthy files accused", share, ACCUSED_AT_MOST, f"{100 * share:.1f} %, at most 1 %")


if __name__ == "__main__":
    main()

"""What is kept of a visit: a tool was given the baseline and its treatments, and said something of each."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

# Treatment -> its share of extra work.
EXTRA = {"again": 0.0, "+2%": 0.02, "+5%": 0.05}
BASELINE = "nothing"


class Claim(StrEnum):
    """What a tool's own rule says of a treatment against its baseline."""

    SLOWER = "slower"
    FASTER = "faster"
    NONE = "none"


def claim_of(difference: bool, ratio: float) -> Claim:
    """*ratio* is treatment over baseline, in time."""
    if not difference:
        return Claim.NONE
    return Claim.SLOWER if ratio > 1 else Claim.FASTER


class Judged(msgspec.Struct):
    """What a tool said of one treatment.

    Attributes:
        level: a key of EXTRA.
        ratio: the tool's own estimate, treatment over baseline in time; None where it gave none.
        said: the words, the p value or the verdict that the claim was read from.
        seconds: until it could be said, the baseline's own measurement included; None where no answer came.
    """

    level: str
    claim: Claim
    ratio: float | None
    said: str
    seconds: float | None = None


class Visit(msgspec.Struct):
    """One tool in one session; `trouble` is why it judged nothing, `commit` which sectax this was ('' in old files)."""

    session: int
    tool: str
    started: str
    seconds: float
    load: tuple[float, float]  # of the machine, before and after
    judged: list[Judged] = []
    trouble: str = ""
    commit: str = ""


def read(file: Path) -> Iterator[Visit]:
    """The visits of a file, in the order in which they ended; none where there is no file yet."""
    if file.exists():
        for line in file.read_bytes().splitlines():
            yield msgspec.json.decode(line, type=Visit)


def append(file: Path, visit: Visit) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as kept:
        kept.write(msgspec.json.encode(visit) + b"\n")

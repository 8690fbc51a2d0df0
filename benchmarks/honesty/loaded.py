"""What sessions say by the load that ran beside them: misses, errors, detection, verdicts; as Markdown."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

import msgspec

from benchmarks.honesty.session import Compared, Session
from benchmarks.honesty.summary import (
    A_A,
    claimed_before_the_audit,
    claims_direction,
    ended,
    found,
    limit,
    quantile,
)
from benchmarks.output import share, table, target
from sectax.model.finding import VerdictId

# An interval misses where all of it lies further than this from the truth.
MISS = 0.05

_HEADER = ("session", "beside it", "sessions")


def misses(compared: Compared) -> bool:
    """Whether the end of the interval that is nearest to the truth is more than 5 % away from it."""
    reference = compared.reference
    if reference is None or compared.low is None or compared.high is None:
        return False
    return max(compared.low - reference, reference - compared.high) > math.log1p(MISS)


def judged(compared: Compared) -> bool:
    """Whether there is a truth to hold the interval against, and an interval."""
    return compared.reference is not None and compared.low is not None and compared.high is not None


def half_width(compared: Compared) -> float:
    return math.inf if compared.low is None or compared.high is None else (compared.high - compared.low) / 2


class Row:
    """The sessions of one kind beside one load, without the runs' own controls."""

    def __init__(self, arms: str, beside: str, sessions: Sequence[Session]) -> None:
        self.arms, self.beside = arms, beside
        self.sessions = [session for session in sessions if not session.trouble]
        self.failed = len(sessions) - len(self.sessions)
        # Beside unlike operations 'again' is a level as any other, and a program of `command` has none but these.
        self.asked = [
            compared
            for session in self.sessions
            for compared in session.comparisons
            if not compared.injected.endswith("-control")
        ]

    def words(self) -> list[str]:
        failed = f" ({self.failed} failed)" if self.failed else ""
        return [self.arms, self.beside, f"{len(self.sessions)}{failed}"]

    def count(self, question: Callable[[Compared], bool], *levels: str) -> str:
        asked = [its for its in self.asked if not levels or its.injected in levels]
        return _of(sum(map(question, asked)), len(asked))

    def misses(self) -> str:
        asked = [its for its in self.asked if judged(its)]
        return _of(sum(map(misses, asked)), len(asked))

    def misses_of_the_median(self) -> str:
        """Against the median of all sessions' references of the same comparison: a session's own may be off, too."""
        asked = [its for its in self.asked if judged(its)]
        known: dict[tuple[str, str], list[float]] = {}
        for its in asked:
            known.setdefault((its.language, its.injected), []).append(its.reference or 0.0)
        typical = {which: statistics.median(references) for which, references in known.items()}
        return _of(
            sum(misses(msgspec.structs.replace(its, reference=typical[its.language, its.injected])) for its in asked),
            len(asked),
        )


def rows(sessions: Sequence[Session]) -> list[Row]:
    """In the order in which they came, 'nothing' first."""
    keys = sorted({(s.arms, s.beside) for s in sessions}, key=lambda key: (key[0], key[1] != "nothing", key[1]))
    return [Row(*key, [s for s in sessions if (s.arms, s.beside) == key]) for key in keys]


def errors(all_rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """How often an answer was wrong, or a cost found."""
    header = [*_HEADER, f"misses by more than {100 * MISS:g} %", "against the median reference"]
    header += ["A/A: a direction claimed", "before the audit"]
    header += ["+2 % found", "+5 % found", "+10 % found"]
    lines = [
        [
            *row.words(),
            row.misses(),
            row.misses_of_the_median(),
            row.count(claims_direction, *A_A),
            row.count(claimed_before_the_audit, *A_A),
            *(row.count(found, level) for level in ("+2%", "+5%", "+10%")),
        ]
        for row in all_rows
    ]
    return header, lines


def ends(all_rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """What the verdicts were, how sharp, and how soon."""
    header = [*_HEADER, "a verdict", "inconclusive", "withdrawn", "half-width, half of them", "seconds a session, half"]
    lines = []
    for row in all_rows:
        withdrawn = (VerdictId.WITHDRAWN,)
        width = quantile([half_width(its) for its in row.asked], 0.5)
        seconds = quantile([math.inf if s.seconds is None else s.seconds for s in row.sessions], 0.5)
        lines.append(
            [
                *row.words(),
                row.count(ended),
                row.count(lambda its: its.verdict == VerdictId.INCONCLUSIVE),
                row.count(lambda its: its.verdict in withdrawn),  # noqa: B023 - called within this turn
                "–" if not math.isfinite(width) else f"± {100 * math.expm1(width):.1f} %",
                "–" if not math.isfinite(seconds) else f"{seconds:.0f}",
            ]
        )
    return header, lines


def show(sessions: Sequence[Session]) -> None:
    """Print the tables, and whether the sessions beside a load reached the targets."""
    for title, (header, lines) in _tables(sessions):
        table(header, lines, title)
    beside = [
        its for row in rows(sessions) if row.beside != "nothing" for its in ((row.arms, one) for one in row.asked)
    ]
    print()
    for name, asked, question, bound, at_least in (
        ("jwt misses by more than 5 %", [c for arms, c in beside if arms == "jwt" and judged(c)], misses, 0.05, False),
        ("A/A error", [c for arms, c in beside if c.injected in A_A], claims_direction, 0.05, False),
        ("+5 % found", [c for arms, c in beside if c.injected == "+5%"], found, 0.90, True),
    ):
        count, total = sum(map(question, asked)), len(asked)
        words = f"{_of(count, total)}, {'at least' if at_least else 'at most'} {100 * bound:g} %"
        target(f"beside a load, {name}", count / total if total else None, bound, words, at_least=at_least)


def markdown(sessions: Sequence[Session]) -> list[str]:
    """The section's figures as they are pasted: where they come from, and two tables."""
    good = [session for session in sessions if not session.trouble]
    if not good:
        return ["No session has ended."]
    days = sorted({session.started[:10] for session in good})
    commits = ", ".join(sorted({session.commit or "unknown" for session in good}))
    limits = dict.fromkeys(limit(session) for session in sorted(good, key=_length))
    loads = [load for session in good if session.load is not None for load in session.load]
    said = f"{len(good)} sessions, {' to '.join(dict.fromkeys((days[0], days[-1])))}, sectax at {commits}, "
    said += f"{', '.join(limits)}; "
    said += f"load average of the machine {min(loads):.1f} to {max(loads):.1f}."
    text = [said]
    for _, (header, lines) in _tables(sessions):
        text += ["", _line(header), _line(["---"] * len(header)), *map(_line, lines)]
    return text


def _tables(sessions: Sequence[Session]) -> list[tuple[str, tuple[list[str], list[list[str]]]]]:
    all_rows = rows(sessions)
    return [("Right or wrong, by load", errors(all_rows)), ("How sessions ended, by load", ends(all_rows))]


def _length(session: Session) -> tuple[float, float]:
    return (session.max_blocks or math.inf, session.budget_s or math.inf)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _of(count: int, total: int) -> str:
    """`3 of 60: 5 % (1 to 14)`; a dash where nothing was asked."""
    return "–" if total == 0 else share(count, total)

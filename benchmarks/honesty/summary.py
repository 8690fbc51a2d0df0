"""What many sessions say together: how often the program was wrong, how often it found a cost, and how soon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchmarks.honesty.session import EARLY, Compared, Session
from benchmarks.output import share, table, target
from sectax.model.finding import FASTER, SLOWER, VerdictId

A_A = ("again", "once-more")
INJECTED = ("+1%", "+2%", "+5%", "+10%")
ON_THE_MARGIN = "+2%"  # where 'materiality open' is the right answer, and no number of blocks brings another
NEGATIVE, POSITIVE = "negative-control", "positive-control"
OPEN = frozenset({VerdictId.SLOWER_MATERIALITY_OPEN, VerdictId.FASTER_MATERIALITY_OPEN})
ENDED = (SLOWER | FASTER | {VerdictId.EQUIVALENT}) - OPEN

Question = Callable[[Compared], bool]


def found(compared: Compared) -> bool:
    return compared.verdict in SLOWER


def found_early(compared: Compared) -> bool:
    return compared.early in SLOWER


def claims_direction(compared: Compared) -> bool:
    return compared.verdict in SLOWER | FASTER


def claimed_before_the_audit(compared: Compared) -> bool:
    return (compared.withheld or compared.verdict) in SLOWER | FASTER


def claims_the_wrong_way(compared: Compared) -> bool:
    return compared.verdict in FASTER


def covers_the_truth(compared: Compared) -> bool:
    """Whether the interval holds what was injected; one without bounds holds everything."""
    low, high = compared.low, compared.high
    truth = math.log1p(compared.truth or 0.0)
    return (low is None or low <= truth) and (high is None or truth <= high)


def ended(compared: Compared) -> bool:
    return compared.verdict in ENDED


class Group:
    """The sessions of one language, or all of them."""

    def __init__(self, sessions: Sequence[Session], language: str | None = None) -> None:
        self.sessions = [session for session in sessions if not session.trouble]
        self.language = language

    def of(self, session: Session, levels: Sequence[str]) -> list[Compared]:
        return [
            compared
            for compared in session.comparisons
            if compared.injected in levels and self.language in (None, compared.language)
        ]

    def every(self, *levels: str) -> list[Compared]:
        return [compared for session in self.sessions for compared in self.of(session, levels)]

    def count(self, question: Question, *levels: str) -> tuple[int, int]:
        asked = self.every(*levels)
        return sum(map(question, asked)), len(asked)

    def sessions_with(self, question: Question, *levels: str) -> tuple[int, int]:
        """Sessions in which it is true of any comparison."""
        asked = [its for session in self.sessions if (its := self.of(session, levels))]
        return sum(any(map(question, its)) for its in asked), len(asked)

    def noise_floors(self) -> list[float]:
        floors = [
            floor
            for session in self.sessions
            for language, floor in session.noise_floors.items()
            if self.language in (None, language)
        ]
        return sorted(math.inf if floor is None else floor for floor in floors)


def quantile(values: Sequence[float], part: float) -> float:
    """The smallest value that so large a part of all does not exceed; infinite where it is beyond what was seen."""
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)] if values else math.nan


def _shown(value: float, unit: str = "") -> str:
    return "–" if math.isnan(value) else "never" if math.isinf(value) else f"{value:.0f}{unit}"


def limit(session: Session) -> str:
    """What ended a session at the latest."""
    limits = [] if session.max_blocks is None else [f"at most {session.max_blocks} blocks"]
    limits += [] if session.budget_s is None else [f"at most {session.budget_s:g} s"]
    return " and ".join(limits) or "no limit"


def show(sessions: list[Session]) -> None:
    """Print the tables and the targets."""
    everything = Group(sessions)
    languages = sorted({compared.language for compared in everything.every(*A_A)})
    groups = {language: Group(sessions, language) for language in languages} | {"pooled": everything}
    _print_sessions(sessions)
    if not everything.sessions:
        return
    _print_truth(groups)
    _print_soonness(groups)
    _print_noise(groups)
    _print_targets(everything)


def _print_sessions(sessions: list[Session]) -> None:
    good = [session for session in sessions if not session.trouble]
    presets = ", ".join(sorted({f"{session.preset} preset, {limit(session)}" for session in good}))
    loads = [load for session in good if session.load is not None for load in session.load]
    loaded = f"; load of the machine {min(loads):.1f} to {max(loads):.1f}" if loads else ""
    print(f"\n  {len(good)} sessions ({presets or 'none'}){loaded}")
    for session in sessions:
        if session.trouble:
            print(f"  failed: {session.file}: {session.trouble}")


def _print_truth(groups: dict[str, Group]) -> None:
    questions: list[tuple[str, Callable[[Group], tuple[int, int]]]] = [
        ("A/A: a direction claimed", lambda group: group.count(claims_direction, *A_A)),
        ("  before the audit", lambda group: group.count(claimed_before_the_audit, *A_A)),
        ("  sessions with any", lambda group: group.sessions_with(claims_direction, *A_A)),
    ]
    questions += [
        (f"{level} found{when}", lambda group, level=level, asked=asked: group.count(asked, level))  # type: ignore[misc]
        for level in INJECTED
        for when, asked in (("", found), (f" within {EARLY} blocks", found_early))
    ]
    questions += [
        ("wrong direction, +1 to +10 %", lambda group: group.count(claims_the_wrong_way, *INJECTED)),
        ("interval holds the truth", lambda group: group.count(covers_the_truth, *A_A, *INJECTED)),
        ("negative control fired", lambda group: group.count(claims_direction, NEGATIVE)),
        ("positive control missed", lambda group: group.count(lambda compared: not found(compared), POSITIVE)),
    ]
    table(
        ["", *groups],
        [[name, *(share(*question(group)) for group in groups.values())] for name, question in questions],
        "How often (exact 95 % intervals, in %)",
    )


def _print_soonness(groups: dict[str, Group]) -> None:
    rows = []
    for language, group in groups.items():
        for level in (*A_A, *INJECTED):
            its = group.every(level)
            blocks = [compared.blocks if ended(compared) else math.inf for compared in its]
            seconds = [(compared.seconds or math.inf) if ended(compared) else math.inf for compared in its]
            numbers = [
                sum(map(ended, its)),
                sum(compared.verdict in OPEN for compared in its),
                sum(compared.verdict == VerdictId.INCONCLUSIVE for compared in its),
                sum(compared.verdict is VerdictId.WITHDRAWN for compared in its),
            ]
            until = [_shown(quantile(values, part)) for values in (blocks, seconds) for part in (0.5, 0.9)]
            rows.append([f"{language} {level}", *map(str, numbers), *until])
    header = ["", "verdict", "materiality open", "inconclusive", "withdrawn", "blocks, half", "90 %", "s, half", "90 %"]
    table(header, rows, "How comparisons ended, and how soon (half and 90 % of all of them; 'never': not by the end)")


def _print_noise(groups: dict[str, Group]) -> None:
    rows = []
    for language, group in groups.items():
        floors = group.noise_floors()
        values = [quantile(floors, part) for part in (0.1, 0.5, 0.9)]
        rows.append([language, *("–" if math.isinf(v) or math.isnan(v) else f"{100 * v:.2f} %" for v in values)])
    table(["noise floor", "10 %", "half", "90 %"], rows, "The negative control's half-width (quantiles over sessions)")


def _print_targets(group: Group) -> None:
    print()
    targets: list[tuple[str, tuple[int, int], float, bool]] = [
        ("A/A error", group.count(claims_direction, *A_A), 0.05, False),
        ("+5 % found", group.count(found, "+5%"), 0.99, True),
        (f"+2 % found within {EARLY} blocks", group.count(found_early, "+2%"), 0.80, True),
        (
            "ended in a verdict (without +2 %, which lies on the margin)",
            group.count(ended, *A_A, *(level for level in INJECTED if level != ON_THE_MARGIN)),
            0.90,
            True,
        ),
    ]
    for name, (count, total), bound, at_least in targets:
        value = count / total if total else None
        words = "at least" if at_least else "at most"
        target(name, value, bound, f"{share(count, total)}, {words} {100 * bound:g} %", at_least=at_least)

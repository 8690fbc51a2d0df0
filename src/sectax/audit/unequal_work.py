"""Two arms that did not do the same work cannot be compared by the time it took."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal, warning
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.figure import EndsBy, Figure, Quantity
from sectax.audit.grouping import each_table, gather, sides, speeds, trials_of, unknown, worst_of_tables
from sectax.audit.mislabelled_level import same
from sectax.audit.words import ids, named, number
from sectax.model.finding import Severity
from sectax.model.subject import Witness
from sectax.stats.binomial import clopper_pearson

# Of all counted operations.
MOST_ERRORS = 0.001

# Answers to one path differ in their headers, and by no more than this: short ones by a few hundred bytes.
MOST_UNLIKE_BYTES, HEADERS_BYTES = 1.5, 1000.0
# Of the bytes that a path names, that an answer has at the least: people write KB for 1000 and for 1024.
LEAST_OF_NAMED = 0.5

FAST_FAILURES = "a failed operation is often a fast one: the figure is not that of the work"
FIX = "fix what fails, then measure"
NOT_THE_SAME = "the two did not do the same work"


def _examine(evidence: Evidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        yield from _errors(arm)
    yield from _unwitnessed(evidence)
    seen: set[tuple[str, str]] = set()
    for finding in evidence.measured_findings():
        pair = (finding.comparison.treatment, finding.comparison.baseline)
        if pair in seen or pair[0] not in evidence.arms or pair[1] not in evidence.arms:
            continue
        seen.add(pair)
        treatment, baseline = evidence.arms[pair[0]], evidence.arms[pair[1]]
        yield from _differing_errors(treatment, baseline)
        for name in evidence.equal_witnesses:
            yield from _witness(name, treatment, baseline)
    yield from _figures(evidence)
    yield from _bytes(evidence)
    yield from _named_sizes(evidence)


def _unwitnessed(evidence: Evidence) -> Iterator[Remark]:
    """One note for the run where a whole cell does not tell a witness, one for an arm that alone does not tell it."""
    silent = []
    for name in evidence.equal_witnesses:
        telling = {arm.cell for arm in evidence.arms.values() if _seen(name, arm)}
        if any(arm.cell not in telling for arm in evidence.arms.values()):
            silent.append(name)
        for arm in evidence.arms.values():
            if arm.cell in telling and not _seen(name, arm):
                yield cannot_be_checked(arm.id, f"{name} shows whether the work is equal, and nothing witnessed it")
    if silent:
        missing = f"whether the work was equal: not all subjects report {', '.join(silent)}"
        yield cannot_be_checked("run", missing)


def _errors(arm: Arm) -> Iterator[Remark]:
    # An operation that fails takes its whole trial with it, so what was counted without a word of errors has none.
    if arm.errors is None or arm.batches is None or arm.batches.operations < 1:
        return
    share = arm.errors / arm.batches.operations
    if share > MOST_ERRORS:
        yield fatal(
            arm.id,
            f"{arm.errors:.0f} of {arm.batches.operations} operations failed ({100 * share:.2f} %)",
            FAST_FAILURES,
            FIX,
        )


def _differing_errors(treatment: Arm, baseline: Arm) -> Iterator[Remark]:
    """F where the shares of failed operations differ by more than chance, however small they are."""
    shares = []
    for arm in (treatment, baseline):
        if arm.errors is None or arm.batches is None or arm.batches.operations < arm.errors:
            return
        shares.append(clopper_pearson(round(arm.errors), arm.batches.operations, 0.99))
    (low, high), (other_low, other_high) = shares
    if low > other_high or high < other_low:
        yield fatal(
            treatment.id,
            f"{treatment.errors:.0f} operations failed, and {baseline.errors:.0f} of its baseline",
            NOT_THE_SAME,
            FIX,
        )


def _seen(name: str, arm: Arm) -> tuple[Witness, ...]:
    return () if arm.witnesses is None else arm.witnesses.get(name, ())


def _witness(name: str, treatment: Arm, baseline: Arm) -> Iterator[Remark]:
    values = [_seen(name, arm) for arm in (treatment, baseline)]
    if not all(values):
        return
    every = [value for seen in values for value in seen]
    if any(not same(every[0], value) for value in every[1:]):
        of_treatment, of_baseline = (", ".join(map(str, seen)) for seen in values)
        yield fatal(
            treatment.id,
            f"{name} is {of_treatment}, and {of_baseline} in its baseline",
            NOT_THE_SAME,
            "make both do the same work, or declare the difference as a factor",
        )


def _figures(evidence: Evidence) -> Iterator[Remark]:
    seen = speeds(evidence)
    yield from worst_of_tables(
        Severity.FATAL,
        [figure for figure in seen if _fails(figure)],
        lambda figure: _error_share(figure) or 0.0,
        lambda figure: f"{figure.circumstances.errors:.0f} of {_operations(figure):.0f} operations failed",
        FAST_FAILURES,
        FIX,
    )
    yield from unknown(
        [figure for figure in seen if _error_share(figure) is None],
        "how many operations failed is not reported",
    )
    # Summaries of one cell share its errors: one comparison is enough.
    compared = [
        [one for one, *_ in gather(group, lambda figure: tuple(figure.levels.items()))] for group in sides(evidence)
    ]
    unlike = [group for group in compared if _unlike_errors(group) and not any(map(_fails, group))]
    yield from _not_the_same(unlike, "shares of failed operations differ by more than chance")
    yield from _not_the_same([group for group in compared if _unlike_counts(group)], "numbers of operations differ")


def _not_the_same(groups: list[list[Figure]], what: str) -> Iterator[Remark]:
    yield from each_table(
        Severity.FATAL,
        [figure for group in groups for figure in group],
        lambda table: f"the {what}, in {named(table)}",
        NOT_THE_SAME,
        "make both do the same work, then measure",
    )


def _operations(figure: Figure) -> float | None:
    """How many were counted."""
    return figure.circumstances.events if figure.circumstances.events is not None else trials_of(figure)


def _error_share(figure: Figure) -> float | None:
    errors, operations = figure.circumstances.errors, _operations(figure)
    if errors is None or (errors > 0 and not operations):
        return None
    return errors / operations if operations else 0.0


def _fails(figure: Figure) -> bool:
    return (_error_share(figure) or 0.0) > MOST_ERRORS


def _unlike_errors(group: list[Figure]) -> bool:
    if not any(figure.circumstances.errors for figure in group):
        return False
    intervals = [
        clopper_pearson(round(figure.circumstances.errors), round(operations), 0.99)
        for figure in group
        if figure.circumstances.errors is not None
        and (operations := _operations(figure) or 0.0) >= figure.circumstances.errors
        and operations >= 1
    ]
    return max((low for low, _ in intervals), default=0.0) > min((high for _, high in intervals), default=1.0)


def _unlike_counts(group: list[Figure]) -> bool:
    """Whether totals of trials that a number of events ended are of unlike numbers."""
    counts = {
        figure.circumstances.events
        for figure in group
        if figure.quantity is Quantity.TOTAL_TIME
        and figure.circumstances.ends_by is EndsBy.EVENTS
        and figure.circumstances.events is not None
    }
    return len(counts) > 1


def _with_bytes(evidence: Evidence) -> list[Figure]:
    """One figure of each run whose source tells how many bytes an answer had."""
    return [
        figure
        for figure in speeds(evidence)
        if evidence.imported and figure.quantity is Quantity.RATE and figure.circumstances.bytes_each is not None
    ]


def _bytes(evidence: Evidence) -> Iterator[Remark]:
    """One path asked for twice, and far fewer bytes in the answers of one: a redirect, or an error page."""
    rates = _with_bytes(evidence)
    known = set(ids(rates))
    compared = [[one for one in group if one.id in known] for group in sides(evidence)]
    groups = [*gather(rates, _path), *compared]
    seen: set[tuple[str, ...]] = set()
    for group in groups:
        ordered = sorted(group, key=lambda figure: figure.circumstances.bytes_each or 0.0)
        if len(ordered) < 2 or ids(ordered) in seen:
            continue
        seen.add(ids(ordered))
        few, many = (ordered[end].circumstances.bytes_each or 0.0 for end in (0, -1))
        if many > MOST_UNLIKE_BYTES * few:
            by_headers = many - few < HEADERS_BYTES
            yield Remark(
                Severity.WARNING if by_headers else Severity.FATAL,
                ordered[0].table,
                f"an answer has {number(few)} bytes in {ordered[0].id}, and {number(many)} in {ordered[-1].id}",
                "headers may explain so few bytes; if they do not, one was redirected or refused"
                if by_headers
                else "the two did not do the same work; likely one of them was redirected, refused or compressed",
                "look at one answer of each side",
                ids(ordered),
            )


def _named_sizes(evidence: Evidence) -> Iterator[Remark]:
    """A path that names a size, and answers with far fewer bytes."""
    for figure in _with_bytes(evidence):
        told, each = figure.circumstances.named_bytes, figure.circumstances.bytes_each or 0.0
        if told is not None and each < LEAST_OF_NAMED * told:
            yield warning(
                figure.table,
                f"{figure.id} names {number(told)} bytes, and an answer has {number(each)}",
                "if the name tells the size of the answer, it was not sent: a redirect, an error page, compression",
                "look at one answer",
            )


def _path(figure: Figure) -> str:
    try:
        parts = urlsplit(figure.circumstances.operation or "")
    except ValueError:
        return figure.id
    return f"{parts.path or '/'}?{parts.query}"


UNEQUAL_WORK = Check(
    id="unequal-work",
    rule="F: bytes, operation counts or outputs differ where declared equal, or bytes of answers to one path; more "
    "than 0.1 % errors, or unlike shares; W: bytes that headers may explain, or fewer than a path names",
    examine=_examine,
    sees=speeds,
    applies=lambda evidence: bool(evidence.arms),
)

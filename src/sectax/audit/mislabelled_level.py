"""A level says one thing and the real thing says another."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal, warning
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Figure
from sectax.audit.grouping import about, gather, unknown
from sectax.audit.checks.service_defaults import Withdrawn, withdrawn
from sectax.audit.words import named
from sectax.model.curves import contradiction, named_curve, stated_bits
from sectax.model.finding import Severity
from sectax.model.subject import Witness

# Labels whose bits are those of a key that has a curve or a modulus.
_KEY = re.compile(r"\b(?:rsa|e[cd](?:dsa|dh)?|dsa|keys?)\b", re.IGNORECASE)


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from _arms(evidence)
    yield from _labels(evidence)
    yield from _settings(evidence)


def _arms(evidence: Evidence) -> Iterator[Remark]:
    for arm in evidence.arms.values():
        for name, declared in arm.declares.items():
            seen = None if arm.witnesses is None else arm.witnesses.get(name)
            if not seen:
                yield cannot_be_checked(arm.id, f"{name} should be {declared}, and nothing witnessed what it is")
                continue
            wrong = [value for value in seen if not same(declared, value)]
            if wrong:
                yield fatal(
                    arm.id,
                    f"{name} was declared as {declared} and witnessed as {', '.join(map(str, wrong))}",
                    "something else was measured than the label says",
                    "find out why the subject does not do what it is told, or correct the label",
                )


def _sees(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.printed
        if any(_states(label) for label in figure.levels.values())
        or (figure.circumstances.service is not None and figure.circumstances.settings)
    ]


def _labels(evidence: Evidence) -> Iterator[Remark]:
    labelled = [(figure, label) for figure in _sees(evidence) for label in figure.levels.values() if _states(label)]
    unsaid = [figure for figure, label in labelled if named_curve(label) is None and not _told(figure.circumstances)]
    yield from unknown(unsaid, "the label states the bits of a key, and how long the key was is not reported")
    for label in dict.fromkeys(label for _, label in labelled):
        of_label = [figure for figure, each in labelled if each == label]
        for group in gather(of_label, lambda figure, label=label: _fault(label, figure.circumstances)):  # type: ignore[misc]
            fault = _fault(label, group[0].circumstances)
            if fault is not None:
                yield about(
                    Severity.FATAL,
                    group,
                    f"{label}: {fault}. Seen in {named(group)}",
                    "something else was measured than the label says",
                    "correct the label, or measure what it says",
                )


def _states(label: str) -> bool:
    """Whether a label says how many bits a key has."""
    return bool(stated_bits(label)) and (named_curve(label) is not None or _KEY.search(label) is not None)


def _told(circumstances: Circumstances) -> bool:
    return circumstances.key_bits is not None or named_curve(circumstances.curve or "") is not None


def _fault(label: str, told: Circumstances) -> str | None:
    """Why the bits in the label are not those of the key; None where they are, or where that is not known."""
    fault = contradiction(label, told.curve)
    if fault is not None or named_curve(label) or named_curve(told.curve or ""):
        return fault
    stated = stated_bits(label)
    if told.key_bits is None or told.key_bits in stated:
        return None
    return f"the label says {' or '.join(map(str, stated))} bits, and the key has {told.key_bits}"


def _settings(evidence: Evidence) -> Iterator[Remark]:
    """Levels that the service no longer offers: a false label where it was measured after that day."""
    ended = [(figure, each) for figure in _sees(evidence) for each in _withdrawn(figure.circumstances)]
    for each in dict.fromkeys(each for _, each in ended):
        figures = [figure for figure, other in ended if other is each]
        late = [figure for figure in figures if _later(figure.circumstances, each)]
        since = f"since {each.since.isoformat()} {each.service} {each.instead}"
        if late:
            saw = f"{each.setting} is {each.value} by its label, and it was measured later: {since}"
            yield about(
                Severity.FATAL,
                late,
                f"{saw}. Seen in {named(late)}",
                "something else was measured than the label says",
                "read back from the service what it did, and correct the label",
            )
        if len(late) < len(figures):
            yield warning(
                f"{each.setting}: {each.value}",
                f"no longer available: {since} ({len(figures) - len(late)} figures)",
                "nobody can choose it, or measure it again; figures from after that day are of something else",
                "compare what the service offers today",
            )


def _withdrawn(told: Circumstances) -> list[Withdrawn]:
    if told.service is None:
        return []
    return [each for name, value in told.settings.items() if (each := withdrawn(told.service, name, value)) is not None]


def _later(told: Circumstances, each: Withdrawn) -> bool:
    """Whether it is known to have been measured after the month in which the setting was withdrawn."""
    return told.year is not None and (told.year, told.month or 1) > (each.since.year, each.since.month)


def same(declared: Witness, witnessed: Witness) -> bool:
    """Whether two values mean the same: 2048 is "2048" and 1769.0, but true is not 1."""
    if isinstance(declared, bool) or isinstance(witnessed, bool):
        return declared is witnessed
    if isinstance(declared, int | float) and isinstance(witnessed, int | float):
        return math.isclose(declared, witnessed, rel_tol=1e-9)
    return str(declared) == str(witnessed)


MISLABELLED_LEVEL = Check(
    id="mislabelled-level",
    rule="F: what was declared of a level differs from what was witnessed of the real thing, or a label contradicts "
    "itself; W: a level that the service no longer offers",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: any(arm.declares for arm in evidence.arms.values()),
)

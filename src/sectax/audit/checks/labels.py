"""Labels that contradict the thing measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sectax.audit.checks.groups import about, gather, ids, unknown
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, warning
from sectax.audit.checks.words import counted, named
from sectax.audit.form import Evidence, Series, Setting
from sectax.formats.curves import contradiction, named_curve, stated_bits
from sectax.model.finding import Severity
from sectax.model.subject import same

# Labels whose bits are the length of a key with a curve or a modulus.
MEANING = "the label does not describe what was measured"
ADVICE = "correct the label, or find out why something else was measured"
_KEY = re.compile(r"\b(?:rsa|e[cd](?:dsa|dh)?|dsa|keys?)\b", re.IGNORECASE)


def _relevant(evidence: Evidence) -> list[Series]:
    if evidence.is_run:
        return [trial for trial in evidence.trials if trial.declared]
    every = evidence.series
    # Where a service has withdrawn a setting, all figures are checked.
    if any(series.setting.withdrawn for series in every):
        return [*every]
    return [series for series in every if any(map(_states, series.levels.values()))]


def _states(label: str) -> bool:
    """Whether a label gives the length of a key."""
    return bool(stated_bits(label)) and (named_curve(label) is not None or _KEY.search(label) is not None)


@check(
    "F: a label contradicts itself or the key that was measured, or a sectax run witnessed another value than it "
    "declares; W: a level that the service no longer offers",
    sees=_relevant,
    runs=True,
)
def mislabelled_level(evidence: Evidence) -> Iterator[Remark]:
    if evidence.is_run:
        yield from _declared(_relevant(evidence))
        return
    labelled = [(series, label) for series in _relevant(evidence) for label in series.levels.values() if _states(label)]
    known = {series for series, label in labelled if named_curve(label) or series.setting.key_bits is not None}
    unsaid = [
        series for series, _ in labelled if series not in known and named_curve(series.setting.curve or "") is None
    ]
    yield from unknown(unsaid, "the label gives a key length, but the actual length is not reported")
    for label in dict.fromkeys(label for _, label in labelled):
        of_label = [series for series, series_label in labelled if series_label == label]
        for group in gather(of_label, lambda series, label=label: _fault(label, series.setting)):  # type: ignore[misc]
            fault = _fault(label, group[0].setting)
            if fault is not None:
                saw = f"{label}: {fault}. Affected: {named(ids(group))}"
                yield about(Severity.FATAL, group, saw, MEANING, ADVICE)
    yield from _withdrawn(evidence)


def _declared(trials: list[Series]) -> Iterator[Remark]:
    """Compare the declared values of levels with the witnessed ones."""
    for trial in trials:
        for name, (declared, values) in trial.declared.items():
            if not values:
                yield cannot_be_checked(trial.treatment, f"{name} should be {declared}, but it was not witnessed")
            elif wrong := [value for value in values if not same(declared, value)]:
                saw = f"{name} was declared as {declared}, but witnessed as {', '.join(map(str, wrong))}"
                yield fatal(trial.treatment, saw, MEANING, ADVICE)


def _fault(label: str, setting: Setting) -> str | None:
    """Why the bits in the label are wrong; None where right or unknown."""
    fault = contradiction(label, setting.curve)
    if fault is not None or named_curve(label) or named_curve(setting.curve or ""):
        return fault
    stated = stated_bits(label)
    if setting.key_bits is None or setting.key_bits in stated:
        return None
    return f"the label says {' or '.join(map(str, stated))} bits, but the key has {setting.key_bits}"


def _withdrawn(evidence: Evidence) -> Iterator[Remark]:
    ended = [series for series in evidence.series if series.setting.withdrawn]
    for group in gather(ended, lambda series: series.setting.withdrawn):
        setting, _, why = (group[0].setting.withdrawn or "").partition(", ")
        yield warning(
            setting,
            f"no longer available: {why} ({counted(len(group), 'figure')})",
            "this setting can no longer be chosen or measured",
            "compare settings that the service offers today",
        )

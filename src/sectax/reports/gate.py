"""A gate's result as lines, Markdown, GitHub annotations and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sectax.model.condition import ConditionAnswer
from sectax.model.environment import SHORT
from sectax.model.gate import Gate, GateLimit, GateOutcome, GateSession, Revision
from sectax.reports import escape
from sectax.text import units
from sectax.text.printable import printable

_ANSWER_WORDS = {
    ConditionAnswer.HOLDS: "exceeded",
    ConditionAnswer.RULED_OUT: "kept",
    ConditionAnswer.OPEN: "undecided",
}


def headline(gate: Gate) -> str:
    """'gate exceeded: main (0123…) → HEAD (4567…)', and the reason if undecided."""
    sides = ""
    if gate.baseline is not None and gate.treatment is not None:
        sides = f": {_side(gate.baseline)} → {_side(gate.treatment)}"
    return f"gate {gate.outcome}{sides}{f'; {printable(gate.why)}' if gate.why else ''}"


def lines(gate: Gate) -> Iterator[str]:
    """The whole result, one line at a time."""
    yield headline(gate)
    for number, session in enumerate(gate.sessions, 1):
        run = f", {printable(session.run)}" if session.run else ""
        if gate.outcome is GateOutcome.NOTHING:  # the headline says why
            continue
        yield f"session {number}: {units.count(session.blocks, 'block')}{_machine_words(session)}{run}"
        for limit in session.limits:
            several = limit.seen if len(limit.seen) > 1 else ()
            yield f"  {_limit(replace(limit, seen=()) if several else limit, gate.outcome)}"
            yield from (f"    {printable(measurement)}" for measurement in several)
    if gate.outcome is not GateOutcome.NOTHING and gate.false_alarms:
        share, noun = units.upward(100 * gate.false_alarms), "runs" if gate.baseline is None else "pushes"
        yield f"false alarms: at most {share} % of {noun} without a change exceed a limit in per cent by chance"


def markdown(gate: Gate) -> str:
    """A table for the summary of a CI step, with a row for each limit."""
    heads = ["limit", *(f"session {number}" for number in range(1, len(gate.sessions) + 1))]
    rows = [heads, ["---"] * len(heads)]
    for answers in zip(*(session.limits for session in gate.sessions), strict=True):
        results = (": ".join(filter(None, (_answer(limit, gate.outcome), "; ".join(limit.seen)))) for limit in answers)
        cells = [answers[0].limit, *results]
        rows.append([escape.markdown(cell) for cell in cells])
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    where = "".join(_machine_words(session) for session in gate.sessions[:1]).strip(", ")
    return f"**{escape.markdown(headline(gate))}**\n\n{table}\n{escape.markdown(where)}\n"


def github_annotations(gate: Gate) -> Iterator[str]:
    """GitHub annotations: errors, or warnings if the gate is undecided."""
    if gate.outcome is GateOutcome.PASSED or not gate.sessions:
        return
    kind = "warning" if gate.outcome is GateOutcome.UNKNOWN else "error"
    for limit in gate.sessions[-1].limits:
        if limit.answer is not ConditionAnswer.RULED_OUT:
            yield f"::{kind} title=sectax gate::{_limit(limit, gate.outcome).replace('%', '%25')}"


def junit(gate: Gate, *, may_pass: bool = False) -> str:
    """A test case for each limit; undecided is an error, or skipped with `may_pass`."""
    from xml.etree import ElementTree

    limits = gate.sessions[-1].limits if gate.sessions else ()
    suite = ElementTree.Element("testsuite", name="sectax gate", tests=str(len(limits)))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for limit in limits:
        case = ElementTree.SubElement(suite, "testcase", classname="sectax.gate", name=printable(limit.limit))
        kind = None
        if gate.outcome is GateOutcome.NOTHING:
            kind = "error"
        elif limit.answer is ConditionAnswer.HOLDS and gate.outcome is GateOutcome.EXCEEDED:
            kind = "failure"
        elif limit.answer is not ConditionAnswer.RULED_OUT:
            kind = "skipped" if may_pass else "error"
        if kind is not None:
            counts[kind] += 1
            ElementTree.SubElement(case, kind, message=_limit(limit, gate.outcome))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _machine_words(session: GateSession) -> str:
    return f", interleaved on {printable(session.machine)}" if session.machine else ""


def _answer(limit: GateLimit, outcome: GateOutcome) -> str:
    """The answer in words; 'undecided' would ask for a longer run where nothing can be measured."""
    return GateOutcome.NOTHING.value if outcome is GateOutcome.NOTHING else _ANSWER_WORDS[limit.answer]


def _limit(limit: GateLimit, outcome: GateOutcome) -> str:
    figures = f": {'; '.join(map(printable, limit.seen))}" if limit.seen else ""
    why = f" ({printable(limit.why)})" if limit.why else ""
    return f"{printable(limit.limit)}: {_answer(limit, outcome)}{figures}{why}"


def _side(revision: Revision) -> str:
    return f"{printable(revision.name)} ({revision.commit[:SHORT]})"

"""Whether the treatments of a run did their work."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator

from sectax.audit.checks.fixed_time import NO_COST, SAME_TIME
from sectax.audit.checks.interface import Remark, check, fatal, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.formats.time_stops import compared_texts, find_time_stop
from sectax.model.treatment import Role

# The time of a whole command.
COMMAND_TIME = "wall"
SLEEPS = re.compile(r"\bu?sleep\b")
# Of programs that the clock stops after a whole number of seconds.
LATE_SHARE = 0.01
# A trial that ends by the clock ends a little late, after its last operation, and never early.
EARLY, LATE = 0.995, 1.05


def _commands(evidence: RunEvidence) -> dict[str, tuple[str, float]]:
    """Return the commands of treatments, and how long they typically last."""
    texts = compared_texts(evidence.plan) if COMMAND_TIME in evidence.metrics else {}
    commands = {}
    for arm in evidence.arms.values():
        levels = arm.treatment.levels
        text, values = texts.get(levels.get(evidence.plan.control, "")), arm.values(COMMAND_TIME)
        if text is not None and values and arm.treatment.role in (Role.BASELINE, Role.TREATMENT):
            for name, level in levels.items():
                text = text.replace(f"{{{name}}}", level)
            commands[arm.id] = (text, statistics.median(values.values()))
    return commands


@check(
    "F: batches last exactly the configured time, so they cannot show a cost; W: a command that stops by time, or two "
    "that last the same whole number of seconds",
    applies=lambda evidence: (
        bool(_commands(evidence)) or any(arm.witnesses.get("configured_s") for arm in evidence.arms.values())
    ),
)
def fixed_time_total(evidence: RunEvidence) -> Iterator[Remark]:
    """Read `configured_s`, by which a subject reports that the clock ends it, and command lines."""
    for arm in evidence.arms.values():
        configured = [value for value in arm.witnesses.get("configured_s", ()) if isinstance(value, (int, float))]
        if configured and arm.batch_s is not None and EARLY * configured[0] <= arm.batch_s <= LATE * configured[0]:
            saw = f"its {arm.batch_s:.4g} s are the configured {configured[0]:g} s"
            advice = "compare the variant with a fixed number of operations"
            yield fatal(arm.id, saw, NO_COST, advice)
    commands, advice = _commands(evidence), "give it a fixed amount of work, or compare what it counts"
    unexplained: dict[str, float] = {}
    for treatment, (text, lasted_s) in commands.items():
        stop = find_time_stop(text)
        if stop is not None and (not stop.is_limit or stop.explains(lasted_s)):
            yield warning(treatment, f"it stops by time ({stop.words}) and lasts {lasted_s:.3g} s", NO_COST, advice)
        elif not SLEEPS.search(text) and 0 <= lasted_s - round(lasted_s) <= LATE_SHARE * round(lasted_s):
            unexplained[treatment] = lasted_s
    first, *others = unexplained.items() if len(unexplained) > 1 else (("", 0.0),)
    for treatment, lasted_s in others:
        if abs(lasted_s / first[1] - 1) <= SAME_TIME and commands[treatment][0] != commands[first[0]][0]:
            saw = f"it lasts {lasted_s:.4g} s, and {first[0]} {first[1]:.4g} s"
            yield warning(treatment, saw, f"if the clock stops both, {NO_COST}", advice)

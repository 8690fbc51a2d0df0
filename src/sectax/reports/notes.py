"""Notes of a report: kernel counters, empty loops, software, repetition."""

from __future__ import annotations

import re
import shlex
import statistics
from collections.abc import Iterator, Mapping

from sectax.model.analysed import Analysed
from sectax.model.environment import CHANGED, COMMAND_LINE, JOB, PROOF, REVISION
from sectax.model.measured import Measured
from sectax.model.plan import Plan, Until
from sectax.model.time_spent import time_spent
from sectax.model.treatment import Role
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

# The cost of the empty loop and call is reported above this share of an operation.
_EMPTY_REPORTED_FROM = 0.01
# Hashes and protocol versions are for programs, not for readers.
_HIDDEN = frozenset({"files", "probe"})
# Values that need no name before them.
_UNNAMED = frozenset({"", "runtime", "cpu_model", "python"})
# Levels that can be given on a command line; others follow from the options that made them.
_NAMEABLE = re.compile(r"[\w.+/-]+")
# Options of a plan that are not on the command line: the working folder, and sizes derived from the machine.
_FOLDER = "folder"
_NOT_TYPED = frozenset({_FOLDER, "memory-block"})
# This option sets the number of blocks too.
_RUNS = "runs"
_FLAG = ("yes",)


def notes(analysed: Analysed) -> tuple[str, ...]:
    """All notes, those of the run itself last."""
    measured = analysed.measured
    return (
        *_telemetry(measured),
        *_time_spent(measured),
        *empty_loops(analysed),
        *(printable(note) for note in measured.notes),
    )


def _telemetry(measured: Measured) -> tuple[str, ...]:
    """One line, if anything was recorded; an unread counter is unknown, never zero."""
    recorded = [telemetry for telemetry in measured.telemetry.values() if telemetry]
    if not recorded:
        return ()
    parts = [
        _waiting(measured),
        _total(recorded, "steal_s", "steal", "stolen by other machines"),
        _total(recorded, "throttled_s", "throttling", "throttled"),
    ]
    return (f"during the measurement: {', '.join(parts)}",)


def _time_spent(measured: Measured) -> tuple[str, ...]:
    spent = time_spent(measured)
    if spent is None:
        return ()
    parts = {
        "in measured batches": spent.counted,
        "in warm-up": spent.settling,
        "starting": spent.opening,
        "waiting and between batches": spent.waiting,
    }
    shares = zip(units.whole_percents(list(parts.values())), parts, strict=True)
    return (f"time of the blocks: {', '.join(f'{share} % {what}' for share, what in shares)}",)


def _waiting(measured: Measured) -> str:
    """The share of time waiting for a processor: median and maximum by family."""
    plan = measured.plan
    families: dict[str, list[float]] = {}
    for treatment in plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        waited, ran = counted.get("run_queue_delay_s"), counted.get("cpu_time_s")
        if waited is not None and ran is not None and waited + ran > 0:
            families.setdefault(plan.cell(treatment.cell).family, []).append(waited / (waited + ran))
    if not families:
        return "time waiting for a processor unknown"
    parts = []
    for family, shares in families.items():
        middle, most = units.share(statistics.median(shares)), units.share(max(shares))
        words = middle if middle == most else f"{middle} (at most {most})"
        parts.append(f"{printable(family)} {words}" if len(families) > 1 else words)
    return f"{', '.join(parts)} of the time waiting for a processor"


def _total(recorded: list[dict[str, float]], key: str, name: str, verb: str) -> str:
    values = [telemetry[key] for telemetry in recorded if key in telemetry]
    if not values:
        return f"{name} unknown"
    over = f" (sum of {len(values)} treatments)" if sum(value > 0 for value in values) > 1 else ""
    words = f"{units.seconds(sum(values))} {verb}{over}" if sum(values) > 0 else f"no {name}"
    return words if len(values) == len(recorded) else f"{words} (incomplete)"


def empty_loops(analysed: Analysed) -> tuple[str, ...]:
    """The cost of an empty operation, if large or always shown."""
    plan = analysed.measured.plan
    own_words = plan.words.get("empty loop")
    reported_from = _EMPTY_REPORTED_FROM if own_words is None else 0.0
    shares = [
        f"{names.subject(plan, treatment.treatment)} {units.share(treatment.empty_share)}"
        for treatment in analysed.treatments
        if treatment.empty_share is not None
        and treatment.empty_share > reported_from
        and treatment.role in {Role.BASELINE, Role.TREATMENT}
    ]
    if not shares:
        return ()
    what = "the empty loop and call take" if own_words is None else printable(own_words)
    return (f"of each operation, {what} (not subtracted): {', '.join(shares)}",)


def measurement_facts(analysed: Analysed) -> Iterator[str]:
    """A line for each fact; empty if no session is recorded."""
    measured, plan = analysed.measured, analysed.measured.plan
    if not measured.sessions:
        return
    session = measured.sessions[0]
    command = session.circumstances.get(COMMAND_LINE)
    if command:
        yield f"command line: {printable(command)}"
    if code := revision(session.revision()):
        yield f"revision: {code}"
    for name, text in session.circumstances.items():
        if name.startswith(PROOF):
            yield f"checked before timing: {printable(text)}"
    yield f"trial order: random, seed {plan.seed}"
    baselines = {plan.treatment(cell.baseline).levels.get(plan.control, "") for cell in plan.cells} - {"baseline"}
    for factor in plan.factors:
        used = {treatment.levels.get(factor.name) for treatment in plan.treatments}
        marked = baselines if factor.name == plan.control else set()
        levels = [f"{level} (baseline)" if level in marked else level for level in factor.levels if level in used]
        if levels:
            yield printable(f"{factor.name}: {', '.join(levels)}")
    yield from software(session.whole_identity()).values()


def revision(code: Mapping[str, str]) -> str:
    """'commit 7c771edd, with changed files; GITHUB_RUN_ID 7', or nothing."""
    changed = {"yes": ", with changed files", "no": ""}.get(code.get(CHANGED, ""), ", changed files unknown")
    commit = [f"commit {code[REVISION]}{changed}"] if REVISION in code else []
    job = [f"{name.removeprefix(JOB)} {value}" for name, value in code.items() if name.startswith(JOB)]
    return printable("; ".join([*commit, *job]))


def software(identity: Mapping[str, str]) -> dict[str, str]:
    """A line for the machine and for each runtime, by kind of host or subject."""
    groups: dict[str, list[str]] = {}
    for name, value in identity.items():
        kind, _, rest = name.partition(".")
        library = rest.removeprefix("library_").replace("_", " ")
        if rest not in _HIDDEN:
            unnamed = rest in _UNNAMED and not (rest and value[:1].isdigit())
            groups.setdefault(kind, []).append(value if unnamed else f"{library} {value}")
    return {
        kind: printable(f"{'machine' if kind == 'host' else kind}: {', '.join(values)}")
        for kind, values in groups.items()
    }


def repeat(plan: Plan) -> str:
    """The command that repeats a run with the same levels, rules and seed."""
    words = ["sectax", "run", plan.experiment, *_option_words(plan)]
    folder = "".join(f"cd {shlex.quote(place)} && " for place in plan.options.get(_FOLDER, ()))
    # The folder matters only for relative paths.
    return (folder if any("./" in word for word in words) else "") + shlex.join(words)


def _option_words(plan: Plan) -> Iterator[str]:
    if plan.preset != "default":
        yield f"--{plan.preset}"
    for name, texts in plan.options.items():
        if name not in _NOT_TYPED:
            yield from (f"--{name}",) if texts == _FLAG else (word for text in texts for word in (f"--{name}", text))
    for factor in plan.factors:
        if all(_NAMEABLE.fullmatch(level) for level in factor.levels):
            yield from ("--level", f"{factor.name}={','.join(factor.levels)}")
    rules = plan.stopping
    yield from ("--margin", f"{100 * rules.margin:g}%")
    for condition in rules.conditions:
        yield from ("--fail-if", condition.text)
    if rules.fixed_blocks is not None:
        yield from () if _RUNS in plan.options else ("--blocks", str(rules.fixed_blocks))
    else:
        if rules.budget_s is not None and not rules.extends:
            yield from ("--budget", f"{rules.budget_s:g}s")
        if rules.max_blocks is not None:
            yield from ("--max-blocks", str(rules.max_blocks))
        if rules.until is Until.PRECISE:
            yield "--precise"
        elif rules.until not in (Until.VERDICT, Until.CONDITIONS):
            yield from ("--until", rules.until.value)
    yield from ("--seed", str(plan.seed))

"""What a report notes besides the findings: what the kernel saw, what empty loops take, and how to measure it again."""

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

# The cost of the empty loop and call is reported where it passes this share of an operation.
_EMPTY_REPORTED_FROM = 0.01
# Hashes and protocol versions tell programs that two runs differ, and people nothing.
_TELL_NOBODY = frozenset({"files", "probe"})
# These values name themselves.
_SPEAK_ALONE = frozenset({"", "runtime", "cpu_model", "python"})
# Levels that can be named on a command line; others follow from the options that made them.
_NAMEABLE = re.compile(r"[\w.+/-]+")
# Options that a plan has and no command line: where the commands ran, and what followed from the machine.
_FOLDER = "folder"
_NOT_TYPED = frozenset({_FOLDER, "memory-block"})
# As many executions as --blocks would say in another way.
_RUNS = "runs"
_FLAG = ("yes",)


def notes(analysed: Analysed) -> tuple[str, ...]:
    """All of them, and after them what the run itself had to say."""
    measured = analysed.measured
    return (
        *_telemetry(measured),
        *_time_spent(measured),
        *empty_loops(analysed),
        *(printable(note) for note in measured.notes),
    )


def _telemetry(measured: Measured) -> tuple[str, ...]:
    """One line, or none where nothing was recorded. What could not be read is called so; it is never a zero."""
    recorded = [telemetry for telemetry in measured.telemetry.values() if telemetry]
    if not recorded:
        return ()
    parts = [
        _waiting(measured),
        _total(recorded, "steal_s", "steal", "stolen by other machines"),
        _total(recorded, "throttled_s", "throttling", "throttled"),
    ]
    return (f"while it was measured: {', '.join(parts)}",)


def _time_spent(measured: Measured) -> tuple[str, ...]:
    spent = time_spent(measured)
    if spent is None:
        return ()
    parts = {
        "inside the batches that count": spent.counted,
        "settling and warming up": spent.settling,
        "opening": spent.opening,
        "waiting and between batches": spent.waiting,
    }
    shares = zip(units.whole_percents(list(parts.values())), parts, strict=True)
    return (f"where the time of the blocks went: {', '.join(f'{share} % {what}' for share, what in shares)}",)


def _waiting(measured: Measured) -> str:
    """Of the time in which a treatment could run, the share that it waited: the median of each family, and the most."""
    plan = measured.plan
    families: dict[str, list[float]] = {}
    for treatment in plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        waited, ran = counted.get("run_queue_delay_s"), counted.get("cpu_time_s")
        if waited is not None and ran is not None and waited + ran > 0:
            families.setdefault(plan.cell(treatment.cell).family, []).append(waited / (waited + ran))
    if not families:
        return "waiting for a processor not known"
    parts = []
    for family, shares in families.items():
        middle, most = units.share(statistics.median(shares)), units.share(max(shares))
        words = middle if middle == most else f"{middle} (at most {most})"
        parts.append(f"{printable(family)} {words}" if len(families) > 1 else words)
    return f"{', '.join(parts)} of the time waiting for a processor"


def _total(recorded: list[dict[str, float]], key: str, name: str, verb: str) -> str:
    values = [telemetry[key] for telemetry in recorded if key in telemetry]
    if not values:
        return f"{name} not known"
    over = f" ({len(values)} treatments together)" if sum(value > 0 for value in values) > 1 else ""
    words = f"{units.seconds(sum(values))} {verb}{over}" if sum(values) > 0 else f"no {name}"
    return words if len(values) == len(recorded) else f"{words} in what could be read"


def empty_loops(analysed: Analysed) -> tuple[str, ...]:
    """What an operation that does nothing takes, where that is much of one, or the experiment wants it always shown."""
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


def how_measured(analysed: Analysed) -> Iterator[str]:
    """A line for each fact; none where no session is recorded."""
    measured, plan = analysed.measured, analysed.measured.plan
    if not measured.sessions:
        return
    session = measured.sessions[0]
    command = session.circumstances.get(COMMAND_LINE)
    if command:
        yield f"called as: {printable(command)}"
    if code := revision(session.revision()):
        yield f"measured: {code}"
    for name, text in session.circumstances.items():
        if name.startswith(PROOF):
            yield f"before it was timed: {printable(text)}"
    yield f"order of the trials: drawn from seed {plan.seed}"
    baselines = {plan.treatment(cell.baseline).levels.get(plan.control, "") for cell in plan.cells} - {"baseline"}
    for factor in plan.factors:
        used = {treatment.levels.get(factor.name) for treatment in plan.treatments}
        marked = baselines if factor.name == plan.control else set()
        levels = [f"{level} (baseline)" if level in marked else level for level in factor.levels if level in used]
        if levels:
            yield printable(f"{factor.name}: {', '.join(levels)}")
    yield from software(session.whole_identity()).values()


def revision(code: Mapping[str, str]) -> str:
    """'commit 7c771edd, with changed files; GITHUB_RUN_ID 7': what was measured, and in which job; or nothing."""
    changed = {"yes": ", with changed files", "no": ""}.get(code.get(CHANGED, ""), ", changed files not known")
    commit = [f"commit {code[REVISION]}{changed}"] if REVISION in code else []
    job = [f"{name.removeprefix(JOB)} {value}" for name, value in code.items() if name.startswith(JOB)]
    return printable("; ".join([*commit, *job]))


def software(identity: Mapping[str, str]) -> dict[str, str]:
    """A line for the machine, and for each runtime with its libraries, by the kind of host or subject."""
    groups: dict[str, list[str]] = {}
    for name, value in identity.items():
        kind, _, rest = name.partition(".")
        library = rest.removeprefix("library_").replace("_", " ")
        if rest not in _TELL_NOBODY:
            alone = rest in _SPEAK_ALONE and not (rest and value[:1].isdigit())
            groups.setdefault(kind, []).append(value if alone else f"{library} {value}")
    return {
        kind: printable(f"{'machine' if kind == 'host' else kind}: {', '.join(values)}")
        for kind, values in groups.items()
    }


def repeat(plan: Plan) -> str:
    """A command with the same levels, rules and seed; it writes a run file of its own."""
    words = ["sectax", "run", plan.experiment, *_option_words(plan)]
    folder = "".join(f"cd {shlex.quote(place)} && " for place in plan.options.get(_FOLDER, ()))
    # Of use where a path counts from there; elsewhere it is somebody's own folder.
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

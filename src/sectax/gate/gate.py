"""The gate: does a change cost too much? It fails if two sessions agree.

Two revisions are measured by turns in one session on one machine, so it does not matter that a CI runner differs from
push to push. A failure is measured again, with fresh builds and in another order, before it is reported.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sectax.analysis.conditions import concerns
from sectax.experiments import registry
from sectax.experiments.command.hook import HookFailed
from sectax.experiments.interface import MeasuresFolders, RunRequest
from sectax.gate.checkouts import Repository
from sectax.model.analysed import Analysed
from sectax.model.condition import Concluded, Condition, ConditionAnswer
from sectax.model.environment import LOCAL_HOST, SHORT
from sectax.model.errors import ExitStatus, NothingMeasured, WrongUse
from sectax.model.finding import NO_CLAIM, VerdictId
from sectax.model.gate import Gate, GateLimit, GateOutcome, GateSession, Revision
from sectax.model.plan import Plan
from sectax.reports.reasons import no_effect
from sectax.reports.words import names
from sectax.run.conditions import concluded, settled, value, was_measured, why
from sectax.run.progress import Progress
from sectax.run.start import start
from sectax.text import claims

# A false 'exceeded' is an error on one side of the interval only.
_ONE_SIDE = 0.5

STATUSES = {
    GateOutcome.PASSED: ExitStatus.DONE,
    GateOutcome.EXCEEDED: ExitStatus.GATE_MISSED,
    GateOutcome.UNKNOWN: ExitStatus.INCONCLUSIVE,
    GateOutcome.NOTHING: ExitStatus.NOTHING_MEASURED,
}


@dataclass(frozen=True)
class Revisions:
    """Two revisions, and what to measure in them.

    Attributes:
        build: the command that builds each; None if nothing has to be built.
        experiment, request: the experiment, and its request for the two checkouts.
    """

    repository: Repository
    baseline: Revision
    treatment: Revision
    build: str | None
    experiment: str
    request: Callable[[Path, Path], RunRequest]


# Measures and judges one session; True asks for fresh builds and another order.
Measure = Callable[[bool], tuple[GateSession, Analysed]]


def measures_folders(name: str) -> bool:
    """Whether an experiment can measure the same command in two folders."""
    return isinstance(registry.load(name), MeasuresFolders)


def request_in_folders(name: str, request: RunRequest, folders: Mapping[str, str], added: float) -> RunRequest:
    """The request with each side in its own folder, if it names one command.

    Args:
        folders: folder of each side, the baseline first.
        added: a cost added to the second side, as a share of the first; 0 for none.
    Raises:
        WrongUse: no cost can be added to this experiment.
    """
    experiment = registry.load(name)
    options = None
    if isinstance(experiment, MeasuresFolders):
        options = experiment.in_folders(request.options, folders, added)
    if options is None and added:
        raise WrongUse("--self-test is for one command", "as in: sectax gate … --self-test -- run command './bench'")
    return request if options is None else replace(request, options=options)


def largest_planted_share(name: str, limits: Sequence[Condition]) -> float:
    """The largest limit that an added cost can exceed.

    Raises:
        WrongUse: there is none.
    """
    experiment = registry.load(name)
    changed = experiment.planted_metrics if isinstance(experiment, MeasuresFolders) else ()

    def can_be_exceeded(limit: Condition) -> bool:
        named = {*limit.about, limit.metric} - {"", name}
        return limit.is_share and limit.costlier and (not named or not named.isdisjoint(changed))

    shares = [limit.limit for limit in limits if can_be_exceeded(limit)]
    if not shares:
        raise WrongUse("--self-test adds a cost in time, and no limit is a share of a time", "add --limit 'slower>5%'")
    return max(shares)


def judge_run(analysed: Analysed, path: str, limits: Sequence[Condition]) -> Gate:
    """Judge an existing run: one session, so a failure is not confirmed."""
    session = judge_session(analysed, path, limits)
    outcome = _outcome(session, analysed)
    why = (
        "in one session, not confirmed by a second one"
        if outcome is GateOutcome.EXCEEDED
        else _why_nothing(outcome, session)
    )
    return Gate(outcome, why, None, None, (session,), _false_alarms(analysed.measured.plan, limits, sessions=1))


def judge_revisions(
    revisions: Revisions, limits: Sequence[Condition], files: Sequence[Path], progress: Progress
) -> Gate:
    """Measure two revisions by turns, and again if the first session exceeds a limit.

    Args:
        files: the run files of both sessions.
    Raises:
        WrongUse: as a run. A revision that cannot be built is an outcome, not an error.
    """

    def measure(fresh: bool) -> tuple[GateSession, Analysed]:
        if fresh:
            progress.say("limit exceeded: building and measuring both revisions again to confirm it")
        return _measured(revisions, limits, files[fresh], progress, fresh=fresh)

    try:
        gate = confirm_sessions(measure, limits)
    except NothingMeasured as error:
        why = f"{error.message} ({error.hint})" if error.hint else error.message
        session = GateSession(
            "", 0, "", tuple(GateLimit(limit.text, ConditionAnswer.OPEN, (), why) for limit in limits)
        )
        gate = Gate(GateOutcome.NOTHING, why, None, None, (session,), None)
    return replace(gate, baseline=revisions.baseline, treatment=revisions.treatment)


def confirm_sessions(measure: Measure, limits: Sequence[Condition]) -> Gate:
    """Fail only if a second session exceeds the same limit as the first.

    Raises:
        NothingMeasured: the first session measured nothing.
    """
    first, analysed = measure(False)
    outcome = _outcome(first, analysed)
    why = _why_nothing(outcome, first)
    sessions: tuple[GateSession, ...] = (first,)
    if outcome is GateOutcome.EXCEEDED:
        try:
            second, _ = measure(True)
        except NothingMeasured as error:
            outcome, why = GateOutcome.UNKNOWN, f"the second session measured nothing: {error.message}"
        else:
            sessions = (first, second)
            if not _agree(first, second):
                outcome, why = (
                    GateOutcome.UNKNOWN,
                    "the second session, with fresh builds, does not agree with the first",
                )
    return Gate(outcome, why, None, None, sessions, _false_alarms(analysed.measured.plan, limits, sessions=2))


def _measured(
    revisions: Revisions, limits: Sequence[Condition], file: Path, progress: Progress, *, fresh: bool
) -> tuple[GateSession, Analysed]:
    repository = revisions.repository
    checkout = repository.fresh if fresh else repository.cached
    with contextlib.ExitStack() as stack:
        with progress.waiting("building both revisions" if revisions.build else "checking out both revisions"):
            trees = []
            for side in (revisions.baseline, revisions.treatment):
                try:
                    trees.append(stack.enter_context(checkout(side.commit, revisions.build)))
                except HookFailed as error:
                    raise HookFailed(f"{side.name} ({side.commit[:SHORT]}) {error.message}", error.hint) from error
        request = revisions.request(trees[0], trees[1])
        # The second session needs another order even if the user gave a seed.
        request = replace(request, seed=(request.seed + fresh) % 2**32)
        try:
            outcome = start(revisions.experiment, request, file, progress, commit=revisions.treatment.commit)
        except WrongUse as error:
            if revisions.build is None:
                raise WrongUse(
                    error.message, f"{error.hint}; or add --build CMD: a checkout has only the files that git tracks"
                ) from error
            raise
    if outcome.trouble is not None:
        raise outcome.trouble
    if outcome.state == "interrupted":
        raise KeyboardInterrupt
    return judge_session(outcome.analysed, str(outcome.path), limits), outcome.analysed


def judge_session(analysed: Analysed, path: str, limits: Sequence[Condition]) -> GateSession:
    """Answer the limits from one session."""
    plan = analysed.measured.plan
    findings = {finding.comparison.id: finding for finding in analysed.findings}

    def effect(answer: Concluded, decisive: str) -> str:
        if decisive not in findings:
            return f"{names.subject(plan, decisive)}: {value(answer, decisive)}" if decisive in answer.values else ""
        finding = findings[decisive]
        metric = plan.metric(finding.comparison.metric)
        # The limit has its own answer; the margin of the run is a different question.
        if finding.effect is None or finding.verdict in {*NO_CLAIM, VerdictId.EQUIVALENT}:
            return f"{names.subject(plan, decisive)}: {claims.answer(finding, metric)}"
        limit = answer.condition.limit * (1 if answer.condition.costlier else -1)
        return f"{names.subject(plan, decisive)}: {claims.beside_limit(finding.effect, metric, limit)}"

    def reasons(answer: Concluded) -> str:
        missing = [
            finding
            for finding in analysed.findings
            if finding.comparison.id in answer.decisive and finding.verdict is VerdictId.NOT_MEASURED
        ]
        sides = {side for finding in missing for side in (finding.comparison.baseline, finding.comparison.treatment)}
        failed = [
            f"{plan.treatment(failure.treatment).levels.get(plan.control, failure.treatment)}: {failure.reason}"
            for failure in analysed.measured.failures
            if failure.treatment in sides
        ]
        whys = failed or [no_effect(analysed, finding) for finding in missing]
        return "; ".join(dict.fromkeys(whys)) or why(answer, plan)

    answered = tuple(
        GateLimit(
            answer.condition.text,
            answer.answer,
            tuple(filter(None, (effect(answer, decisive) for decisive in answer.decisive))),
            "; ".join(filter(None, (reasons(answer), _by_cpu_time(analysed, answer)))),
        )
        for answer in concluded(analysed, limits)
    )
    return GateSession(path, len(analysed.measured.blocks), analysed.measured.processor(LOCAL_HOST), answered)


def _by_cpu_time(analysed: Analysed, answer: Concluded) -> str:
    """The answer by CPU time if wall time leaves a limit open."""
    condition = answer.condition
    first, *rest = (metric for metric in analysed.measured.plan.metrics if metric.compared)
    cpu = next((metric.name for metric in rest if metric.cpu), None)
    if (
        answer.answer is not ConditionAnswer.OPEN
        or not condition.is_share
        or condition.metric not in ("", first.name)
        or cpu is None
    ):
        return ""
    (by_cpu,) = concluded(analysed, (replace(condition, metric=cpu),))
    if by_cpu.answer is ConditionAnswer.OPEN:
        return ""
    outcome = "kept" if by_cpu.answer is ConditionAnswer.RULED_OUT else "exceeded"
    return f"by CPU time ({cpu}) it is {outcome}, which counts if the work neither waits nor does I/O"


def _outcome(session: GateSession, analysed: Analysed) -> GateOutcome:
    """The outcome of a session: the gravest answer of all limits."""
    if not was_measured(analysed):
        return GateOutcome.NOTHING
    answers = {limit.answer for limit in session.limits}
    if ConditionAnswer.HOLDS in answers:
        return GateOutcome.EXCEEDED
    return GateOutcome.UNKNOWN if ConditionAnswer.OPEN in answers else GateOutcome.PASSED


def _agree(first: GateSession, second: GateSession) -> bool:
    """Whether both sessions exceed the same limit."""
    pairs = zip(first.limits, second.limits, strict=True)
    return any({before.answer, after.answer} == {ConditionAnswer.HOLDS} for before, after in pairs)


def _why_nothing(outcome: GateOutcome, session: GateSession) -> str:
    """Why nothing was measured; empty otherwise."""
    return "; ".join(dict.fromkeys(limit.why for limit in session.limits)) if outcome is GateOutcome.NOTHING else ""


def _false_alarms(plan: Plan, limits: Sequence[Condition], *, sessions: int) -> float | None:
    """Largest share of unchanged pushes that fail, by sessions that must agree.

    None with only limits on values, which an unchanged revision may always exceed.
    """
    limits = [limit for limit in settled(limits, plan) if limit.is_share]
    about = {
        comparison.id: comparison.alpha
        for comparison in plan.comparisons
        if any(concerns(limit, comparison, plan) for limit in limits)
    }
    return min(1.0, _ONE_SIDE * sum(about.values())) ** sessions if limits else None

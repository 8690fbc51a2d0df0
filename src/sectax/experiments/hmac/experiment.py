"""The experiment `hmac`: factors, presets, and the function of each treatment."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sectax.experiments.advice import column, growth_rows, minus, part_rows, stage_rows
from sectax.experiments.hmac import levels as hmac
from sectax.experiments.hmac.subjects import Events, authorizer, function_part, identity, lacks, new_inputs
from sectax.experiments.interface import Bench, Design, Machine, Rules, RunRequest, Wanted
from sectax.experiments.on_lambda import LOCAL
from sectax.experiments.on_lambda import experiment as on_lambda
from sectax.model.advice import AdviceRow, UserWorkload
from sectax.model.advice_rules import AdviceRules, Choice
from sectax.model.analysed import Analysed
from sectax.model.bill import PriceList, one_way
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import SUBJECTS, Calibrated, Plan
from sectax.model.subject import SubjectSpec
from sectax.model.treatment import MEASURED, Factor

if TYPE_CHECKING:
    import click

# The study has five trials in a cell, the first of them cold; a block always has that one. Other presets have more
# calls than medians need: they are cheap compared with deploying, and tails need hundreds.
ROUNDS = {"quick": (4, 48), "default": (16, 48), "published": (4, 4)}

_PUBLISHED_CHOICES = (
    "the study does not name its Python version: this is the one that sectax runs with, under AWS's runtime client",
    "the study had no baseline: this is the same function without the check, which still validates the event's form",
    "the study does not show its whole function: the data are not unpacked, since the check needs only their text",
    "the study invoked by hand, five times including the cold start: each block has five invocations of a fresh "
    "instance, at least 0.025 s apart; their worst and median are reported as in the study, and the Duration of the "
    "four warm ones; a run has as many such blocks as a verdict needs",
)
# Differences of the local Lambda from the study's.
_LOCAL_CHOICES = (
    "the study's figures are Durations, which the quota of a small function rounds up to periods: four calls of 40 or "
    "60 ms say little about 5 ms; CPU time is compared, and Durations are shown too",
    "the local Lambda: Durations are of this machine's processor, limited to memory/1769 of it in periods of 20 ms",
    "the local Lambda: Max Memory Used includes the page cache of files that the instance was the first to read",
)


_INVOCATION = "duration"  # the metric that includes all steps
_BY_OWN_CLOCK = (
    "the answer is the CPU time of the function's own steps: they include the whole check and little else that varies; "
    "the Duration of the whole invocation is shown too"
)


class HmacExperiment(on_lambda.LambdaExperiment):
    """Authenticate a message in a function, or leave out the check."""

    name = "hmac"
    title = "What does message authentication cost in a function?"
    presets = ("default", "quick", "published")
    factors = (
        Factor("language", hmac.LANGUAGES),
        Factor("payload", tuple(hmac.PAYLOADS)),
        Factor("memory", (*hmac.MEMORY_MB, "…")),
        Factor("pace", (on_lambda.SPACED, on_lambda.BACK_TO_BACK)),
        Factor("data", tuple(hmac.DATA)),
        Factor("authentication", hmac.AUTHENTICATION),
    )
    budgets_s: Mapping[str, float] = {"published": 600.0}
    assumed_s = 0.05
    assumes = f"assumes invocations of {assumed_s * 1e3:g} ms and the most rounds and blocks"
    unmeasured = 14  # the referee's events, at most seven before and seven after

    def wants(self, request: RunRequest) -> Wanted:
        languages, *_ = on_lambda.chosen_factors(self.factors, hmac.MEMORY_MB, hmac.PRESETS[request.preset], request)
        is_local = on_lambda.read_endpoint_options(request.options)[0] == LOCAL
        return Wanted(parts=(*map(function_part, languages.levels), *((on_lambda.LAMBDA,) if is_local else ())))

    def design(self, request: RunRequest, machine: Machine) -> Design:
        endpoint, _ = on_lambda.read_endpoint_options(request.options)
        factors = on_lambda.chosen_factors(self.factors, hmac.MEMORY_MB, hmac.PRESETS[request.preset], request)
        levels = {factor.name: factor.levels for factor in factors}
        own_clock = uses_own_clock(request.preset, levels)
        reported = _metrics(request.preset, levels, endpoint)
        as_published = request.preset == "published"
        return Design(
            factors=factors,
            control="authentication",
            baseline=hmac.NONE,
            metrics=reported,
            rules=Rules(
                family=lambda levels: levels["language"],
                lacks=functools.partial(lacks, machine, endpoint),
                declares=functools.partial(on_lambda.declares, endpoint),
                # The question is about the smallest function.
                primary={"memory": levels["memory"][:1]},
                # No part of an event can be repeated at a known cost.
                positive=lambda levels: False,
            ),
            transfers=on_lambda.transfers(endpoint),
            batch_s=on_lambda.BATCH_S,
            rounds_range=ROUNDS[request.preset],
            one_processor=on_lambda.takes_one_processor(endpoint, levels["memory"]),
            services_on=SUBJECTS,
            gap_s=on_lambda.GAP_S,
            together=on_lambda.TOGETHER if levels["pace"] == (on_lambda.SPACED,) and not as_published else 0,
            warms_up=not as_published,
            settles=not as_published,
            answered_by=_BY_OWN_CLOCK if own_clock else on_lambda.deciding_metric(reported),
            beside=_secondary_metrics(reported, own_clock),
            choices=(_PUBLISHED_CHOICES + (_LOCAL_CHOICES if endpoint == LOCAL else ())) if as_published else (),
            equal_witnesses=("runtime", "architecture", "code_sha256"),
            words=hmac.WORDS | on_lambda.service(endpoint),
            contents=hmac.CONTENTS,
        )

    def bench(self, plan: Plan) -> Bench:
        return _Bench(plan)

    def commands(self) -> click.Group:
        from sectax.experiments.hmac.commands import group

        return group

    def requirements(self) -> tuple[str, ...]:
        return (on_lambda.RUNTIME_CLIENT, *map(function_part, hmac.LANGUAGES))

    def advice_rules(self, plan: Plan) -> AdviceRules:
        return AdviceRules(
            metric=_INVOCATION,
            choice=Choice(
                adds=True,
                picks=False,
                what="requests",
                uses=one_way(on_lambda.requests_usage),
                billed="billed_duration",
                weigh="every verifier has the key and can forge messages",
                changes="size of message or memory",
                parts=(hmac.IMMEDIATE, hmac.NONE),
            ),
        )

    def advice_rows(self, analysed: Analysed, prices: PriceList, asked: UserWorkload) -> Iterator[AdviceRow]:
        """Yield the parts of an invocation, and growth with the payload."""
        measured = analysed.measured
        parsing = "delivering and parsing the event"
        unpacks = any(treatment.levels["data"] == hmac.UNPACKED for treatment in measured.plan.treatments)
        stages = {
            hmac.IMMEDIATE: parsing,
            hmac.NONE: "its form, Base64 and MessagePack" if unpacks else "its form",
        }
        by_difference = stage_rows(measured, _INVOCATION, "authentication", stages, "the check")
        yield from (row for row in by_difference if row.levels["authentication"] != hmac.TIMED)
        for treatment in measured.plan.treatments:
            if treatment.levels["authentication"] == hmac.TIMED and treatment.role in MEASURED:
                whole = column(measured, hmac.WHOLE, treatment)
                steps = {words: column(measured, step, treatment) for step, words in hmac.STEPS.items()}
                parts = {parsing: minus(column(measured, _INVOCATION, treatment), whole), **steps}
                yield from part_rows(measured, _INVOCATION, treatment, parts, "between the steps, with the clock")
        yield from growth_rows(measured, _INVOCATION)


class _Bench(on_lambda.LambdaBench):
    def inputs(self) -> dict[str, str]:
        return new_inputs()

    def identity(self) -> dict[str, str]:
        return identity(tuple(sorted({treatment.levels["language"] for treatment in self.plan.treatments})))

    def specs(self, inputs: Mapping[str, str], calibrated: Calibrated | None) -> dict[str, SubjectSpec]:
        events = Events(inputs)
        as_published = self.plan.preset == "published"
        own_clock = uses_own_clock(self.plan.preset, {factor.name: factor.levels for factor in self.plan.factors})
        return {
            treatment.id: authorizer(
                treatment.levels,
                inputs,
                events,
                self.service,
                self.role,
                counts_first=as_published,
                own_clock=own_clock,
                gap_s=self.plan.gap_s or on_lambda.GAP_S,
            )
            for treatment in self.plan.treatments
        }


def uses_own_clock(preset: str, levels: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether functions time their own steps, and these suffice.

    At 10 KiB the check is a tenth of an invocation's CPU time, and the rest varies more than that between blocks: one
    minute is enough only for the steps. Not possible with `immediate`, which has no steps, with the timed level, which
    is compared with the untimed one, or back to back, where batches are sized by invocations.
    """
    comparable = {hmac.TIMED, hmac.IMMEDIATE}.isdisjoint(levels["authentication"])
    return preset == "quick" and comparable and levels["pace"] == (on_lambda.SPACED,)


def _secondary_metrics(reported: tuple[Metric, ...], own_clock: bool) -> tuple[str, ...]:
    if own_clock:
        return ("duration", hmac.CHECK_CPU)
    return (reported[1].name, hmac.CHECK) if on_lambda.CPU_TIME in reported else (hmac.CHECK,)


def _metrics(preset: str, levels: Mapping[str, tuple[str, ...]], endpoint: str | None) -> tuple[Metric, ...]:
    """The metrics of a treatment, the primary one first."""

    def all_invocations(name: str, summary: Summary) -> Metric:
        return Metric(name, "s", Better.LOWER, summary, "invocation", on_lambda.step_s(endpoint), compared=False)

    def steps(name: str, *, compared: bool = False, cpu: bool = False) -> Metric:
        whole = on_lambda.CPU_TIME.name if cpu and endpoint == LOCAL else _INVOCATION
        summary = Summary.MEAN if cpu else Summary.MEDIAN
        return Metric(name, "s", Better.LOWER, summary, name, compared=compared, cpu=cpu, part_of=whole)

    reported = [*on_lambda.metrics(endpoint)]
    if on_lambda.CPU_TIME in reported:
        reported.sort(key=lambda metric: metric != on_lambda.CPU_TIME)
    if preset == "published":
        reported.append(all_invocations("worst_invocation", Summary.MAXIMUM))
        reported.append(all_invocations("median_invocation", Summary.MEDIAN))
    if uses_own_clock(preset, levels):
        reported = [steps(hmac.WHOLE_CPU, compared=True, cpu=True), *reported, steps(hmac.CHECK_CPU, cpu=True)]
    if hmac.TIMED in levels["authentication"]:
        reported += [steps(step) for step in (*hmac.STEPS, hmac.CHECK, hmac.WHOLE)]
    return tuple(reported)


EXPERIMENT = HmacExperiment()

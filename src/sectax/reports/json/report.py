"""The document of one run: everything that the other reports say, in base units, with stable identifiers."""

from __future__ import annotations

from sectax.model.analysed import Analysed, FamilyControls
from sectax.model.finding import TreatmentResult
from sectax.model.measured import Measured
from sectax.model.plan import last_look
from sectax.model.treatment import Standing
from sectax.reports.diagnostics import all_skipped, all_warnings
from sectax.reports.json.parts import (
    NOT_ASKED,
    NOT_KNOWN,
    Missing,
    Record,
    encoded,
    estimate,
    finding,
    known,
    record,
    warning,
)
from sectax.reports.reasons import no_effect, no_estimate
from sectax.reports.words import summary

SCHEMA = "sectax/report/1"

_OWN = {Standing.NEGATIVE, Standing.POSITIVE}


def document(analysed: Analysed, path: str, trouble: str = "") -> bytes:
    """One JSON document, UTF-8.

    Args:
        analysed: the run, judged.
        path: of the run file, as it is to be shown.
        trouble: why the run or its record could not go on; empty where nothing is known to be wrong.
    """
    measured, plan = analysed.measured, analysed.measured.plan
    return encoded(
        {
            "schema": SCHEMA,
            "run": _run(analysed, path, trouble),
            "plan": _plan(measured),
            "treatments": [_treatment(analysed, each) for each in analysed.treatments],
            "findings": [
                finding(each, no_effect(analysed, each), plan.metric(each.comparison.metric))
                for each in analysed.findings
                if each.comparison.standing not in _OWN
            ],
            "controls": [_controls(analysed, each) for each in analysed.controls],
            "warnings": [warning(each) for each in all_warnings(analysed)],
            "skipped": [
                {"treatment": each.treatment, "levels": each.levels, "reason": each.reason, "mend": each.mend}
                for each in all_skipped(measured)
            ],
            "failures": [
                {
                    "block": each.block,
                    "treatment": each.treatment,
                    "stage": each.stage,
                    "state": each.state,
                    "reason": each.reason,
                    "hint": each.hint,
                }
                for each in measured.failures
            ],
            "summary": summary(analysed),
        }
    )


def _run(analysed: Analysed, path: str, trouble: str) -> Record:
    measured = analysed.measured
    return record(
        id=measured.run_id,
        path=path,
        started=measured.started,
        state=measured.state,
        trouble=trouble or Missing("no trouble was told of"),
        blocks=len(measured.blocks),
        block_seconds=known(measured.block_s, "no block is finished"),
        # Circumstances (host name, load) and the options that were given stay in the run file: a report is made to be
        # shared.
        sessions=[session.whole_identity() for session in measured.sessions],
        notes=[*measured.notes],
        scope=analysed.scope,
        wrong_expected=analysed.wrong_expected,
    )


def _plan(measured: Measured) -> Record:
    plan, stopping = measured.plan, measured.plan.stopping
    return {
        "experiment": plan.experiment,
        "preset": plan.preset,
        "question": plan.question,
        "transfers": plan.transfers,
        "control": plan.control,
        "seed": plan.seed,
        "answered_by": plan.answered_by,
        "choices": [*plan.choices],
        "stopping": record(
            margin=stopping.margin,
            alpha=stopping.alpha,
            until=stopping.until.value,
            max_blocks=last_look(plan, measured.calibrated),
            fixed_blocks=known(stopping.fixed_blocks, NOT_ASKED),
            budget_seconds=known(stopping.budget_s, NOT_ASKED),
        ),
        "factors": [{"name": each.name, "levels": [*each.levels]} for each in plan.factors],
        "metrics": [
            {
                "name": each.name,
                "unit": each.unit,
                "better": each.better.value,
                "summary": each.summary.value,
                "resolution": each.resolution,
                "compared": each.compared,
                "cpu": each.cpu,
            }
            for each in plan.metrics
        ],
        "cells": [
            {"id": each.id, "levels": each.levels, "family": each.family, "baseline": each.baseline}
            for each in plan.cells
        ],
    }


def _treatment(analysed: Analysed, result: TreatmentResult) -> Record:
    plan = analysed.measured.plan
    return record(
        id=result.treatment,
        levels=result.levels,
        role=result.role,
        state=result.state,
        reason=result.reason,
        blocks=result.blocks,
        estimates=[
            record(
                metric=metric.name,
                estimate=estimate(result.estimates[metric.name])
                if metric.name in result.estimates
                else Missing(no_estimate(result)),
            )
            for metric in plan.metrics
        ],
        witnesses=result.witnesses,
        telemetry=known(analysed.measured.telemetry.get(result.treatment), "nothing was recorded"),
        empty_share=known(result.empty_share, "the empty loop was not measured"),
    )


def _controls(analysed: Analysed, controls: FamilyControls) -> Record:
    negative, positive = controls.negative, controls.positive
    return record(
        family=controls.family,
        negative=finding(negative, no_effect(analysed, negative)) if negative else Missing("there was none"),
        positive=finding(positive, no_effect(analysed, positive)) if positive else Missing("there was none"),
        noise_floor=known(controls.noise_floor, NOT_KNOWN),
        smallest_seen=known(controls.smallest_seen, NOT_KNOWN),
        known_cost=known(controls.known_cost, NOT_KNOWN),
    )

"""Advice from a made-up run, as the program gives it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sectax.advice.advise import advice
from sectax.analysis.analyse import analyse
from sectax.cli.present import View, render
from sectax.model.advice import NO_WORKLOAD, Advice, UserWorkload
from sectax.model.finding import AuditWarning
from sectax.model.measured import Measured
from sectax.prices import load
from sectax.run.advice import experiment_rows, experiment_rules
from tests.schemas import follows_its_schema


def advised(run: Measured, asked: UserWorkload = NO_WORKLOAD, warnings: Sequence[AuditWarning] = ()) -> Advice:
    """By the rules of the run's experiment and the built-in prices."""
    analysed = analyse(run, warnings)
    return advice(analysed, experiment_rules(analysed), load(), asked, experiment_rows(analysed, asked))


def printed(of: Advice) -> str:
    """On a wide terminal."""
    return render(of, "terminal", View(width=400))


def document(of: Advice) -> Any:
    """The JSON document."""
    made = json.loads(render(of, "json"))
    follows_its_schema(made)
    return made

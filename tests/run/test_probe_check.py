"""What `sectax probe check` tries is what the probe's experiments know of their operations."""

from __future__ import annotations

import pytest

from sectax.cli.probe import _cases
from sectax.experiments import registry
from sectax.experiments.interface import HasProbeCases
from sectax.experiments.on_probe.conformance import claimed_operations
from sectax.experiments.primitives.algorithms import FAMILIES
from tests.fakes.toy import fake


def test_a_probe_is_tried_with_the_operations_of_the_experiments_that_it_serves() -> None:
    assert {case.operation for case in _cases(frozenset({"empty", "sign"}))} == {"sign", "verify"}
    assert _cases(frozenset({"empty", "encrypt"})) == []


def test_a_probe_that_cannot_be_asked_is_tried_with_all_of_them() -> None:
    assert {case.operation for case in _cases(None)} == {"sign", "verify", *FAMILIES}


def test_what_a_probe_claims_is_in_its_greeting() -> None:
    assert claimed_operations(fake("honest")) == {"empty", "sign", "verify"}
    assert claimed_operations(fake("wrong-version")) is None


@pytest.mark.parametrize("operation", ["sign", "verify"])
def test_every_case_says_whether_something_must_be_shown(operation: str) -> None:
    experiment = registry.load("jwt")
    assert isinstance(experiment, HasProbeCases)
    expected = {
        case.referee.expects_artefact
        for case in experiment.probe_cases()
        if case.operation == operation and case.referee
    }

    assert expected == {operation == "sign"}

"""The experiment's functions under the local Lambda: each does what its treatment says, and nothing else passes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import pytest

from sectax.experiments.hmac import subjects
from sectax.experiments.hmac.levels import AUTHENTICATION, LANGUAGES, PAYLOADS, STEPS, TIMED
from sectax.experiments.on_lambda import LOCAL_ROLE
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.model.subject import Work
from tests.experiments.on_lambda.functions import close_services, needs_sandbox, service
from tests.experiments.subjects import failure, measured, values
from tests.needs import needs

pytestmark = [needs_sandbox, needs("the functions", "the functions in Go")]

LEVELS = {"payload": "10KiB", "memory": "1769", "pace": "back-to-back", "data": "unpacked", "language": "python"}


@pytest.fixture(scope="module", autouse=True)
def _one_server() -> Iterator[None]:
    yield
    close_services()


@pytest.fixture(scope="module")
def inputs() -> Mapping[str, str]:
    return subjects.new_inputs()


def spec(inputs: Mapping[str, str], **levels: str) -> FunctionSpec:
    return subjects.authorizer(LEVELS | levels, inputs, subjects.Events(inputs), service(), LOCAL_ROLE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("treatment", AUTHENTICATION)
def test_every_treatment_answers_its_own_way_before_and_after(treatment, language, inputs):
    witnesses, visit, _ = measured(spec(inputs, authentication=treatment, language=language), Work(count=2))

    assert witnesses["memory_mb"] == 1769
    assert 1.3 < witnesses["event_bytes"] / PAYLOADS[LEVELS["payload"]] < 1.5
    assert len(values(visit.observations, "duration")) == 2
    # Every step is reported, those that check and all of them, and nothing else.
    steps = [one.metric for one in visit.observations if one.clock == "the function's own clock"]
    sums = ["check", "check_cpu", "whole", "whole_cpu"]
    assert sorted(steps) == sorted(2 * [*STEPS, *sums] if treatment == TIMED else [])


def test_a_function_that_checks_nothing_is_not_measured_as_one_that_does(inputs):
    checked, unchecked = (spec(inputs, authentication=text) for text in ("hmac-sha512", "none"))
    failed = failure(dataclasses.replace(checked, environment=unchecked.environment))

    assert "checked" in failed.message  # the function's own answer


def test_a_function_with_another_key_is_not_measured(inputs):
    own = spec(inputs, authentication="hmac-sha512")
    failed = failure(dataclasses.replace(own, environment=own.environment | {"SHARED_KEY": "another"}))

    assert "genuine" in failed.message
    assert inputs["shared_key"] not in str(failed)

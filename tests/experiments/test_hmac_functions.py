"""The experiment's functions under the local Lambda: each does what its treatment says, and nothing else passes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import pytest

from sectax.experiments.hmac import subjects
from sectax.experiments.hmac.levels import AUTHENTICATION, LANGUAGES, PAYLOADS, STEPS, TIMED
from sectax.experiments.on_lambda import LOCAL_ROLE
from sectax.experiments.on_lambda.subject import FunctionSpec
from sectax.model.errors import SubjectFailed
from sectax.model.subject import Work
from tests.experiments.on_lambda.functions import close_services, needs_sandbox, service
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
    subject = spec(inputs, authentication=treatment, language=language).subject()

    witnesses = subject.open()
    visit = subject.visit(Work(count=2))
    subject.close()

    assert witnesses["memory_mb"] == 1769
    assert 1.3 < witnesses["event_bytes"] / PAYLOADS[LEVELS["payload"]] < 1.5
    told = [observation.metric for observation in visit.observations if observation.clock == "the function's own clock"]
    warm = [observation.metric for observation in visit.observations if observation.metric == "duration"]
    assert len(warm) == 2
    # Every step is told of, those that check and all of them, and nothing else.
    sums = ["check", "check_cpu", "whole", "whole_cpu"]
    assert sorted(told) == sorted(2 * [*STEPS, *sums] if treatment == TIMED else [])


def test_a_function_that_checks_nothing_is_not_measured_as_one_that_does(inputs):
    checked, unchecked = (spec(inputs, authentication=text) for text in ("hmac-sha512", "none"))
    subject = dataclasses.replace(checked, environment=unchecked.environment).subject()

    with pytest.raises(SubjectFailed, match="nothing was checked"):
        subject.open()


def test_a_function_with_another_key_is_not_measured(inputs):
    own = spec(inputs, authentication="hmac-sha512")
    subject = dataclasses.replace(own, environment=own.environment | {"SHARED_KEY": "another"}).subject()

    with pytest.raises(SubjectFailed, match="the token is not genuine") as caught:
        subject.open()

    assert inputs["shared_key"] not in str(caught.value)

"""Where functions run is said in one way for all experiments on Lambda; secrets cross no network in the clear."""

from __future__ import annotations

import pytest

from sectax.calibration.time_budget import PROCESSES
from sectax.experiments.function.experiment import FunctionExperiment
from sectax.experiments.on_lambda import LOCAL_ROLE
from sectax.experiments.on_lambda.experiment import read_endpoint_options
from sectax.model.bill import Usage
from sectax.model.plan import Plan
from sectax.model.treatment import Role
from tests.machines import plan_of

ROLE = "arn:aws:iam::123456789012:role/lambda"


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9000",
        "http://127.9.9.9:1",
        "http://localhost:4566/",
        "http://[::1]:9000",
        "https://lambda.example.org",
        "https://10.0.0.7:8443/lambda",
    ],
)
def test_an_address_is_taken_as_it_is(address: str) -> None:
    assert read_endpoint_options({"endpoint": (address,)}) == (address, LOCAL_ROLE)


def usage(plan: Plan, assumed_s: float, unmeasured: int = 0) -> tuple[Usage, ...]:
    experiment = FunctionExperiment()
    experiment.assumed_s, experiment.unmeasured = assumed_s, unmeasured
    return experiment.usage(plan)


def plan_on_aws() -> Plan:
    on_aws = {"endpoint": ("aws",), "role": (ROLE,)}
    return plan_of("hmac", "quick", {"memory": ("1024",)}, on_aws)


def test_unmeasured_invocations_are_counted_for_each_opening_including_the_pilot() -> None:
    plan = plan_on_aws()
    blocks = plan.last_look(None)
    tried = [treatment for treatment in plan.treatments if treatment.role is not Role.NEGATIVE]

    without, with_seven = (usage(plan, 0.01, unmeasured)[0].amount for unmeasured in (0, 7))

    assert with_seven - without == 7 * (blocks * len(plan.treatments) + PROCESSES * len(tried))


def test_every_invocation_is_billed_in_whole_milliseconds() -> None:
    plan = plan_on_aws()

    def billed_s(assumed_s: float) -> float:
        requests, time = usage(plan, assumed_s)
        return time.amount / requests.amount  # at 1 GB

    assert billed_s(0.0001) == pytest.approx(0.001)
    assert billed_s(0.0101) == pytest.approx(0.011)
    assert [billed_s(whole / 1e3) for whole in range(1, 60)] == pytest.approx([whole / 1e3 for whole in range(1, 60)])

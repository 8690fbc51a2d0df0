"""Base of experiments on Lambda: endpoints, memory, metrics, bill."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import sys
from collections.abc import Collection, Mapping

from sectax.design.matrix import Levels
from sectax.experiments.client_server.endpoint import read_endpoint
from sectax.experiments.interface import Bench, Experiment, Machine, Option, RunRequest
from sectax.experiments.levels import choose
from sectax.experiments.on_lambda import AWS, LOCAL, LOCAL_ROLE
from sectax.model.bill import Usage, billed_s
from sectax.model.errors import WrongUse
from sectax.model.finding import TreatmentResult
from sectax.model.metric import FIRST as FIRST_OBSERVED
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import SERVICE, SETTLING_SHARE, Plan
from sectax.model.subject import Witness
from sectax.model.treatment import Factor, Role
from sectax.model.why_not import WhyNot
from sectax.parts.machine import architecture

# Functions in Python run with the version that sectax runs with.
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
RUNTIME_CLIENT = f"lambda-runtime:{PYTHON}"
LAMBDA = "lambda"  # the part: a Lambda on this machine with CPU quotas

ENDPOINT_OPTIONS = (
    Option("endpoint", "where functions run: local (the default, sectax's own server), aws, or an address", "WHERE"),
    Option("role", "the execution role (required on AWS)", "ARN"),
)
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/.+")

BACK_TO_BACK, SPACED = "back-to-back", "spaced"
# From an answer to the next event: 1.25 periods of the quota, so that it is full again.
GAP_S = 0.025
# Instances that take turns, all frozen except one: enough to fill the gap of one.
TOGETHER = 6
# Back to back: five periods of the quota, so that a batch includes its average effect.
BATCH_S = 0.1
# A quota of a fourteenth ends a batch anywhere in a period: 15 periods make that a small error.
LONG_BATCH_S = 0.3
# A function with a whole processor is never throttled, so batches can be short.
SHORT_BATCH_S = 0.01
_LEAST_MB, _MOST_MB = 128, 10_240
# "At 1,769 MB, a function has the equivalent of one vCPU": AWS Lambda Developer Guide, "Configure Lambda function
# memory"; up to the machine's processors, in periods of AWS's own length.
_VCPU_MB, _PERIOD_US = 1769, 20_000

# Only the local Lambda reports it. The mean, since other programs do not disturb it, and since on a machine with two
# speeds the median of a block jumps between them.
CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, observed="cpu_time", cpu=True)

# The part of Duration after the answer: no caller waits for it, but it is billed.
_AFTER_ANSWER = Metric("after_answer", "s", Better.LOWER, Summary.MEAN, "after_answer", compared=False)

_FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, observed=FIRST_OBSERVED)
# Its two parts are reported, not compared: callers wait for the sum.
_FIRST_INIT = Metric("first_init", "s", Better.LOWER, Summary.MEAN, observed=f"{FIRST_OBSERVED}.init", compared=False)
_FIRST_DURATION = Metric(
    "first_duration", "s", Better.LOWER, Summary.MEAN, observed=f"{FIRST_OBSERVED}.duration", compared=False
)
# Lambda reports it in whole MB.
_MAX_MEMORY = Metric(
    "max_memory_used", "B", Better.LOWER, Summary.MAXIMUM, observed="max_memory_used", resolution=2**20
)
_REPORT_STEP_S = 1e-5


def step_s(endpoint: str | None) -> float:
    """Return the resolution of Durations: that of a REPORT line on AWS, 0 elsewhere."""
    return _REPORT_STEP_S if endpoint is AWS else 0.0


def metrics(endpoint: str | None) -> tuple[Metric, ...]:
    """Return the metrics: warm Durations, first invocation, memory."""

    def duration(name: str, summary: Summary, *, compared: bool = True) -> Metric:
        return Metric(name, "s", Better.LOWER, summary, "duration", step_s(endpoint), compared)

    return (
        duration("duration", Summary.MEDIAN),
        *((CPU_TIME,) if endpoint == LOCAL else ()),
        # Back to back, the quota throttles a few calls: visible in the mean and the bill, not in the median.
        duration("mean_duration", Summary.MEAN),
        duration("p90_duration", Summary.P90, compared=False),
        duration("p99_duration", Summary.P99, compared=False),
        duration("worst_duration", Summary.WORST, compared=False),
        Metric("billed_duration", "s", Better.LOWER, Summary.MEAN, "billed_duration", compared=False),
        *((_AFTER_ANSWER,) if endpoint == LOCAL else ()),
        _FIRST,
        _FIRST_INIT,
        _FIRST_DURATION,
        _MAX_MEMORY,
    )


def deciding_metric(reported: tuple[Metric, ...]) -> str:
    """Explain which of two metrics answers the question; empty without CPU time."""
    if CPU_TIME not in reported:
        return ""
    if reported[0] == CPU_TIME:
        return (
            "the answer is CPU time per invocation: the check does not wait or do I/O, and CPU time excludes other "
            "programs; Duration is shown too"
        )
    return "the answer is Duration: a function may wait, which CPU time excludes; CPU time is shown too"


METRIC_WORDS = {
    "metric=duration": "Duration",
    "metric=cpu_time": "CPU time",
    "metric=mean_duration": "mean Duration",
    "metric=p90_duration": "p90 of Duration",
    "metric=p99_duration": "p99 of Duration",
    "metric=worst_duration": "worst Duration",
    "metric=billed_duration": "Billed Duration",
    "metric=after_answer": "Duration after the answer",
    "metric=first_init": "Init Duration",
    "metric=first_duration": "first Duration",
    "metric=max_memory_used": "Max Memory Used",
}

_TRANSFERS = {
    LOCAL: (
        "The CPU quota is Lambda's, the processor is this machine's: ratios transfer to Lambda if its processors are "
        "similar, absolute times do not."
    ),
    AWS: "It holds for this region and the processors that AWS assigned during the run.",
}
_TRANSFERS_FROM_ELSEWHERE = "It holds for the Lambda at that address and the processors that it assigned."

# Assumptions of the estimated bill.
_WARM_UP_BATCHES = 10
_PILOT_OPENINGS = 2  # per treatment, each with a first invocation and the referee's
_PILOT_BATCHES = 25  # in both together: ten each, and those that find the batch size
_BILLING_MB = 1024  # the GB of a GB-second


def read_endpoint_options(options: Mapping[str, tuple[str, ...]]) -> tuple[str | None, str]:
    """Read the endpoint and the execution role from the options.

    Raises:
        WrongUse: an invalid address, an address that would transfer secrets in the clear, an invalid ARN, or AWS
            without a role.
    """
    endpoint = _endpoint(next(iter(options.get("endpoint", ())), LOCAL))
    role = next(iter(options.get("role", ())), None)
    if role is not None and not _ROLE.fullmatch(role):
        raise WrongUse(f"--role {role!r} is not the ARN of a role", "as in arn:aws:iam::123456789012:role/lambda")
    if endpoint is AWS and role is None:
        raise WrongUse("AWS requires an execution role", "add --role ARN")
    return endpoint, role or LOCAL_ROLE


def lambda_lack(endpoint: str | None, machine: Machine) -> WhyNot | None:
    """Return why functions cannot run here; remote endpoints are not asked."""
    return machine.lacks(LAMBDA) if endpoint == LOCAL else None


class LambdaExperiment(Experiment):
    """An experiment with Lambda functions, local or on AWS, where they cost money.

    Attributes:
        assumed_s: seconds of an invocation, for the estimated bill.
        unmeasured: invocations of a function in each block that are not measured, without the first.
    """

    options: tuple[Option, ...] = ENDPOINT_OPTIONS
    assumed_s: float
    unmeasured = 0

    def usage(self, plan: Plan) -> tuple[Usage, ...]:
        """Return the usage of a whole run if each invocation takes `assumed_s`."""
        in_a_batch = max(1, round(plan.batch_s / self.assumed_s))
        blocks = plan.last_look(None)
        processor = "arm64" if architecture() == "arm64" else "x86_64"  # there are prices for these two
        requests, gb_s = 0, 0.0
        for treatment in plan.treatments:
            count = 1 if treatment.levels["pace"] == SPACED else in_a_batch
            visits = plan.rounds_range[1] * (count + math.ceil(count * SETTLING_SHARE)) + _WARM_UP_BATCHES * count
            opened = 1 + self.unmeasured
            pilot_visits = 0 if treatment.role is Role.NEGATIVE else _PILOT_OPENINGS * opened + _PILOT_BATCHES * count
            number = blocks * (opened + visits) + pilot_visits
            requests += number
            gb_s += number * billed_s(self.assumed_s) * int(treatment.levels["memory"]) / _BILLING_MB
        return Usage("lambda.requests", requests), Usage(f"lambda.{processor}", gb_s)

    def is_billed(self, options: Mapping[str, tuple[str, ...]]) -> bool:
        return read_endpoint_options(options)[0] != LOCAL


class LambdaBench(Bench):
    """The Lambda of a run. A local server starts and ends with the bench.

    Attributes:
        service: the Lambda to deploy to, after `start`.
        role: the execution role.
    """

    min_open_s = 0.02  # create an instance and initialise its runtime
    may_idle = True

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        from sectax.experiments.on_lambda.services import LambdaService  # slow to import

        endpoint, self.role = read_endpoint_options(plan.options)
        self.service = LambdaService(endpoint)

    def start(self, inputs: Mapping[str, str]) -> None:
        """Open the service first, so that its failure is reported once and early."""
        self.enter_context(self.service)


def _endpoint(text: str) -> str | None:
    address = read_endpoint(text, "http://127.0.0.1:9000 or https://lambda.example.org")
    if address is None:
        return LOCAL if text == LOCAL else AWS
    if address.scheme == "http" and not is_loopback(address.hostname or ""):
        raise WrongUse(
            f"--endpoint {text!r} is another machine without TLS: events, and secrets in the functions' environment, "
            "would cross the network in the clear",
            "use https://…, or forward a local port (ssh -L) and use http://127.0.0.1:PORT",
        )
    return text


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name or address; without DNS."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def transfers(endpoint: str | None) -> str:
    """Return the sentence on where a result applies."""
    return _TRANSFERS.get(endpoint, _TRANSFERS_FROM_ELSEWHERE)


def service(endpoint: str | None, name: str = "Lambda") -> dict[str, str]:
    """Return the plan's words for a local service; empty for any other."""
    return {SERVICE: f"{name} emulated on this machine"} if endpoint == LOCAL else {}


def memory_levels(requested: tuple[str, ...], available: tuple[str, ...]) -> tuple[str, ...]:
    """Return the requested memory sizes, ascending; `all` are *available*.

    Raises:
        WrongUse: not a memory size of Lambda.
    """
    if requested == ("all",):
        requested = available
    for text in requested:
        if not (text.isdecimal() and text.isascii() and _LEAST_MB <= int(text) <= _MOST_MB):
            raise WrongUse(
                f"the factor memory has no level {text!r}", f"Lambda has {_LEAST_MB} to {_MOST_MB} MB, in whole MB"
            )
    return tuple(sorted({str(int(text)) for text in requested}, key=int))


def chosen_factors(
    available: tuple[Factor, ...],
    memory_mb: tuple[str, ...],
    preset: Mapping[str, tuple[str, ...]],
    request: RunRequest,
) -> tuple[Factor, ...]:
    """Choose the factors as `levels.choose`, but allow any memory size of Lambda.

    Args:
        available: all factors, including `memory`.
        memory_mb: the levels of `memory` that `all` means.
        preset: the levels of the request's preset.
    Raises:
        WrongUse: an unknown factor or level.
    """
    memory = Factor("memory", memory_levels(request.levels.get("memory", memory_mb), memory_mb))
    return choose(tuple(memory if factor.name == "memory" else factor for factor in available), preset, request.levels)


def takes_one_processor(endpoint: str | None, memory_mb: Collection[str]) -> bool:
    """Return whether local functions can share a processor by turns."""
    return endpoint == LOCAL and all(int(memory) <= _VCPU_MB for memory in memory_mb)


def waits_for_quota(endpoint: str | None, levels: Levels) -> bool:
    """Return whether the quota stops a function most of the time."""
    is_small = int(levels["memory"]) * TOGETHER <= _VCPU_MB / 2
    return endpoint == LOCAL and levels["pace"] == BACK_TO_BACK and is_small


def target_batch_s(endpoint: str | None, levels: Levels) -> float | None:
    """Return the seconds of a batch for a memory size; None for `BATCH_S`."""
    if waits_for_quota(endpoint, levels):
        return LONG_BATCH_S
    return SHORT_BATCH_S if endpoint == LOCAL and int(levels["memory"]) >= _VCPU_MB else None


def declares(endpoint: str | None, levels: Levels) -> dict[str, Witness]:
    """Return the limits of a memory size that a function's witnesses must confirm.

    Only the local Lambda reports the limits in force.
    """
    memory_mb = int(levels["memory"])
    configured: dict[str, Witness] = {"memory_mb": memory_mb}
    if endpoint != LOCAL:
        return configured
    share = min(memory_mb / _VCPU_MB, float(len(os.sched_getaffinity(0))))
    # The kernel counts whole microseconds, so the quota is not exactly memory/1769.
    return configured | {"memory_limit_mb": float(memory_mb), "cpu_quota": round(share * _PERIOD_US) / _PERIOD_US}


def requests_usage(requests: int, billed_s: float, result: TreatmentResult) -> tuple[Usage, ...]:
    """Return the usage of a number of requests of a treatment, at billed seconds each."""
    processor = str(result.witnesses.get("architecture", "x86_64"))
    gb_s = requests * billed_s * int(result.levels["memory"]) / _BILLING_MB
    return Usage("lambda.requests", requests), Usage(f"lambda.{processor}", gb_s)

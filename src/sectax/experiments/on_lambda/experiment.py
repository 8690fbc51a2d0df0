"""What experiments on Lambda share: where functions run, memory, pace, metrics, and what a run of them would cost."""

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

# The one of sectax's own Python, and what a run needs for functions in it.
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
RUNTIME_CLIENT = f"lambda-runtime:{PYTHON}"
# A Lambda on this machine whose functions have the share of a processor that their memory buys.
LAMBDA = "lambda"

ENDPOINT_OPTIONS = (
    Option(
        "endpoint", "where functions run: local (the default, a server of sectax's own), aws, or an address", "WHERE"
    ),
    Option("role", "the execution role (required on AWS)", "ARN"),
)
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/.+")

BACK_TO_BACK, SPACED = "back-to-back", "spaced"
# From an answer to the next event: a period of the quota and a quarter, so that it is full again.
GAP_S = 0.025
# Instances that are alive at once, frozen but for the one whose turn it is: so many fill the gap of one.
TOGETHER = 6
# Back to back, five periods of the quota: where it bites, a batch shows how it does on average.
BATCH_S = 0.1
# A quota of a fourteenth ends a batch anywhere within a period: 15 of them make that a small part.
LONG_BATCH_S = 0.3
# A function that has a whole processor is never held back, so its turns are short.
SHORT_BATCH_S = 0.01
_LEAST_MB, _MOST_MB = 128, 10_240
# "At 1,769 MB, a function has the equivalent of one vCPU": AWS Lambda Developer Guide, "Configure Lambda function
# memory"; up to the machine's processors, in periods of AWS's own length.
_VCPU_MB, _PERIOD_US = 1769, 20_000

# Only the local Lambda reports it. Its mean: what takes processors away is not in it, and a machine that has two speeds
# moves a block's median from one to the other.
CPU_TIME = Metric("cpu_time", "s", Better.LOWER, Summary.MEAN, observed="cpu_time", cpu=True)

# How much of Duration came after the answer: work that no caller need wait for is billed all the same.
_AFTER_ANSWER = Metric("after_answer", "s", Better.LOWER, Summary.MEAN, "after_answer", compared=False)

_FIRST = Metric("first", "s", Better.LOWER, Summary.MEAN, observed=FIRST_OBSERVED)
# The two parts of it, reported separately: what is compared is what a caller waits for.
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
    """In which steps Durations come: those of a REPORT line on AWS, none elsewhere."""
    return _REPORT_STEP_S if endpoint is AWS else 0.0


def metrics(endpoint: str | None) -> tuple[Metric, ...]:
    """What is reported of every function, the primary metric first: warm Durations, first invocation, memory."""

    def of(name: str, summary: Summary, *, compared: bool = True) -> Metric:
        return Metric(name, "s", Better.LOWER, summary, "duration", step_s(endpoint), compared)

    return (
        of("duration", Summary.MEDIAN),
        *((CPU_TIME,) if endpoint == LOCAL else ()),
        # Back to back the quota holds back one call in many: the median does not see it, the mean and the bill do.
        of("mean_duration", Summary.MEAN),
        of("p90_duration", Summary.P90, compared=False),
        of("p99_duration", Summary.P99, compared=False),
        of("worst_duration", Summary.WORST, compared=False),
        Metric("billed_duration", "s", Better.LOWER, Summary.MEAN, "billed_duration", compared=False),
        *((_AFTER_ANSWER,) if endpoint == LOCAL else ()),
        _FIRST,
        _FIRST_INIT,
        _FIRST_DURATION,
        _MAX_MEMORY,
    )


def deciding_metric(reported: tuple[Metric, ...]) -> str:
    """Which of two metrics answers the question, and why; nothing where there is no CPU time."""
    if CPU_TIME not in reported:
        return ""
    if reported[0] == CPU_TIME:
        return (
            "the answer is CPU time per invocation: the check neither waits nor does I/O, and CPU time leaves out "
            "what other programs take; Duration is shown beside it"
        )
    return "the answer is Duration: a function may wait, which CPU time leaves out; CPU time is shown beside it"


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
        "The share of a processor is Lambda's, the processor is this machine's: ratios carry over to Lambda as far as "
        "its processors are like this one, absolute times do not."
    ),
    AWS: "It holds for this region and the processors that AWS gave these functions meanwhile.",
}
_TRANSFERS_FROM_ELSEWHERE = "It holds for the Lambda at that address and the processors that it gave these functions."

# What the estimated bill supposes.
_WARM_UP_BATCHES = 10
_PILOT_OPENINGS = 2  # of every treatment, each with a first invocation and the referee's
_PILOT_BATCHES = 25  # in both together: ten each, and what finds the size of a batch
_BILLING_MB = 1024  # the GB of a GB-second


def where(options: Mapping[str, tuple[str, ...]]) -> tuple[str | None, str]:
    """Where functions are to run, as the options say: the endpoint as `FunctionSpec` has it, and the execution role.

    Raises:
        WrongUse: an address that is not valid or would carry secrets in the clear, something that is not the ARN of a
            role, or AWS without a role.
    """
    endpoint = _endpoint(next(iter(options.get("endpoint", ())), LOCAL))
    role = next(iter(options.get("role", ())), None)
    if role is not None and not _ROLE.fullmatch(role):
        raise WrongUse(f"--role {role!r} is not the ARN of a role", "as in arn:aws:iam::123456789012:role/lambda")
    if endpoint is AWS and role is None:
        raise WrongUse("AWS wants an execution role for every function", "say --role ARN")
    return endpoint, role or LOCAL_ROLE


def lambda_lack(endpoint: str | None, machine: Machine) -> WhyNot | None:
    """Why functions cannot run at this endpoint; what is elsewhere is not asked before the run."""
    return machine.lacks(LAMBDA) if endpoint == LOCAL else None


class LambdaExperiment(Experiment):
    """An experiment whose functions run where the options say: on AWS they cost money, on this machine they do not.

    Attributes:
        assumed_s: seconds of an invocation that the estimated bill supposes.
        besides: invocations of a function between its opening and its end that are not measured, its first one apart.
    """

    options: tuple[Option, ...] = ENDPOINT_OPTIONS
    assumed_s: float
    besides = 0

    def usage(self, plan: Plan) -> tuple[Usage, ...]:
        """What the whole run would use, if every invocation took `assumed_s`."""
        in_a_batch = max(1, round(plan.batch_s / self.assumed_s))
        blocks = plan.last_look(None)
        processor = "arm64" if architecture() == "arm64" else "x86_64"  # there are prices for these two
        requests, gb_s = 0, 0.0
        for treatment in plan.treatments:
            count = 1 if treatment.levels["pace"] == SPACED else in_a_batch
            visits = plan.rounds_range[1] * (count + math.ceil(count * SETTLING_SHARE)) + _WARM_UP_BATCHES * count
            opened = 1 + self.besides
            pilot_visits = 0 if treatment.role is Role.NEGATIVE else _PILOT_OPENINGS * opened + _PILOT_BATCHES * count
            number = blocks * (opened + visits) + pilot_visits
            requests += number
            gb_s += number * billed_s(self.assumed_s) * int(treatment.levels["memory"]) / _BILLING_MB
        return Usage("lambda.requests", requests), Usage(f"lambda.{processor}", gb_s)

    def is_billed(self, options: Mapping[str, tuple[str, ...]]) -> bool:
        return where(options)[0] != LOCAL


class LambdaBench(Bench):
    """The Lambda of a run: its server, where it is the local one, starts and ends with the bench.

    Attributes:
        service: what functions are deployed to, once the bench has started.
        role: their execution role.
    """

    least_open_s = 0.02  # an instance is made, its runtime started and initialised
    may_idle = True

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        from sectax.experiments.on_lambda.services import LambdaService  # with what starts the local server

        endpoint, self.role = where(plan.options)
        self.service = LambdaService(endpoint)

    def start(self, inputs: Mapping[str, str]) -> None:
        """So that what hinders the service is said once, and before anything is tried."""
        self.enter_context(self.service)


def _endpoint(text: str) -> str | None:
    address = read_endpoint(text, "http://127.0.0.1:9000 or https://lambda.example.org")
    if address is None:
        return LOCAL if text == LOCAL else AWS
    if address.scheme == "http" and not is_loopback(address.hostname or ""):
        raise WrongUse(
            f"--endpoint {text!r} is another machine without TLS: the functions' environment, with what is secret in "
            "it, and every event would cross the network in the clear",
            "say https://…, or forward a port of this machine to it (ssh -L) and say http://127.0.0.1:PORT",
        )
    return text


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number alone; no name server is asked."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def transfers(endpoint: str | None) -> str:
    """What of a result holds elsewhere, by where the functions ran."""
    return _TRANSFERS.get(endpoint, _TRANSFERS_FROM_ELSEWHERE)


def service(endpoint: str | None, name: str = "Lambda") -> dict[str, str]:
    """The word of a plan for a service of sectax's own; none where somebody else's answered."""
    return {SERVICE: f"{name} emulated on this machine"} if endpoint == LOCAL else {}


def memory_levels(requested: tuple[str, ...], there_are: tuple[str, ...]) -> tuple[str, ...]:
    """The memory sizes asked for, in their order of size; `all` are those that *there_are*.

    Raises:
        WrongUse: what is not a memory size of Lambda's.
    """
    if requested == ("all",):
        requested = there_are
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
    """The factors of a run, as `levels.choose` has them; of memory every size of Lambda's may be asked for.

    Args:
        available: all factors, the factor `memory` among them; memory_mb: its usual levels, which are `all`.
        preset: the levels of the request's preset.
    Raises:
        WrongUse: a factor or level that does not exist.
    """
    memory = Factor("memory", memory_levels(request.levels.get("memory", memory_mb), memory_mb))
    return choose(tuple(memory if factor.name == "memory" else factor for factor in available), preset, request.levels)


def takes_one_processor(endpoint: str | None, memory_mb: Collection[str]) -> bool:
    """Whether functions take turns on one processor: those of the local Lambda, none of which has more than one."""
    return endpoint == LOCAL and all(int(memory) <= _VCPU_MB for memory in memory_mb)


def waits_for_quota(endpoint: str | None, levels: Levels) -> bool:
    """Whether a function stands still most of the time: six of them that work at once have half of the processor."""
    is_small = int(levels["memory"]) * TOGETHER <= _VCPU_MB / 2
    return endpoint == LOCAL and levels["pace"] == BACK_TO_BACK and is_small


def target_batch_s(endpoint: str | None, levels: Levels) -> float | None:
    """Seconds of a batch of a memory size, where it is another than `BATCH_S`."""
    if waits_for_quota(endpoint, levels):
        return LONG_BATCH_S
    return SHORT_BATCH_S if endpoint == LOCAL and int(levels["memory"]) >= _VCPU_MB else None


def declares(endpoint: str | None, levels: Levels) -> dict[str, Witness]:
    """The limits that a memory size declares, by the names and values that a function's witnesses must confirm.

    Only sectax's own Lambda, here, is known to tell which limits are in force.
    """
    memory_mb = int(levels["memory"])
    configured: dict[str, Witness] = {"memory_mb": memory_mb}
    if endpoint != LOCAL:
        return configured
    share = min(memory_mb / _VCPU_MB, float(len(os.sched_getaffinity(0))))
    # The kernel counts whole microseconds, so what is in force is not memory/1769 to the last digit.
    return configured | {"memory_limit_mb": float(memory_mb), "cpu_quota": round(share * _PERIOD_US) / _PERIOD_US}


def requests_usage(requests: int, billed_s: float, result: TreatmentResult) -> tuple[Usage, ...]:
    """What so many requests of a deployed treatment use that are billed for so many seconds each."""
    processor = str(result.witnesses.get("architecture", "x86_64"))
    gb_s = requests * billed_s * int(result.levels["memory"]) / _BILLING_MB
    return Usage("lambda.requests", requests), Usage(f"lambda.{processor}", gb_s)

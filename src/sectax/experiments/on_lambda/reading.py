"""The service's report of an invocation: a header, or a REPORT line."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sectax.experiments.on_lambda.local_lambda import MEASURED, measured
from sectax.formats.bad_input import BadInput
from sectax.formats.lambda_report import BEGINS, report_fields
from sectax.model.subject import Witnesses
from sectax.text.printable import printable

SERVER_CLOCK = "monotonic clock of the local Lambda"
REPORT_CLOCK = "REPORT line"
# A REPORT line has milliseconds with two decimals.
REPORT_STEP_S = 1e-5

_MB = 2**20
_LONGEST_CGROUP = 10  # characters: v1, v2 or none
_AMOUNTS = ("cpu_time_s", "after_answer_s", "throttled_s", "throttled_periods", "periods")


@dataclass(frozen=True)
class InvocationReading:
    """The report of one invocation.

    Attributes:
        billed_s: billed seconds in whole milliseconds, including the init phase.
        init_s: the init phase of a cold start; None for a warm one. max_memory_bytes: None if not reported.
        clock, step_s: the clock and its resolution.
        amounts: telemetry of this invocation.
        limits: the limits in force, as witnesses; empty if not reported.
        parts: name -> seconds, from the function's answer.
    """

    duration_s: float
    billed_s: float
    init_s: float | None
    max_memory_bytes: float | None
    clock: str
    step_s: float
    amounts: dict[str, float] = field(default_factory=dict)
    limits: Witnesses = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)


def read_report(answer: dict[str, Any]) -> InvocationReading | None:
    """Read boto3's answer of an `invoke` with LogType=Tail; None without a Duration."""
    if MEASURED in answer["ResponseMetadata"]["HTTPHeaders"]:
        try:
            return _read_header(answer)
        except msgspec.DecodeError:  # not from our Lambda
            return None
    return _read_report(base64.b64decode(answer.get("LogResult", "")).decode(errors="replace"))


def _read_header(answer: dict[str, Any]) -> InvocationReading:
    reported = measured(answer)
    limit, cgroup = reported.memory_limit_bytes, reported.cgroup
    in_force = {
        "cpu_quota": reported.cpu_quota,
        "cpu_period_us": reported.period_us,
        "memory_limit_mb": None if limit is None else limit / _MB,
        "cgroup": None if cgroup is None else printable(cgroup, _LONGEST_CGROUP),
    }
    limits: Witnesses = {name: value for name, value in in_force.items() if value is not None}
    amounts = {name: float(value) for name in _AMOUNTS if (value := getattr(reported, name)) is not None}
    memory = None if reported.max_memory_bytes is None else float(reported.max_memory_bytes)
    return InvocationReading(
        reported.duration_s, reported.billed_ms / 1e3, reported.init_s, memory, SERVER_CLOCK, 1e-9, amounts, limits
    )


def _read_report(log: str) -> InvocationReading | None:
    # The function may print similar lines; Lambda's own is the last.
    begin = log.rfind(BEGINS)
    try:
        reported = report_fields(log, begin) if begin >= 0 else {}
    except BadInput:
        return None
    if not {"duration", "billed"} <= reported.keys():
        return None
    init, memory = reported.get("init"), reported.get("used")
    return InvocationReading(reported["duration"], reported["billed"], init, memory, REPORT_CLOCK, REPORT_STEP_S)

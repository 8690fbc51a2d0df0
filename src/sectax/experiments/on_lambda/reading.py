"""What the service reports of one invocation: sectax's own header where there is one, else Lambda's REPORT line."""

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
# A REPORT line has two digits of milliseconds.
REPORT_STEP_S = 1e-5

_MB = 2**20
_LONGEST_CGROUP = 10  # characters: v1, v2 or none
_AMOUNTS = ("cpu_time_s", "after_answer_s", "throttled_s", "throttled_periods", "periods")


@dataclass(frozen=True)
class InvocationReading:
    """One invocation.

    Attributes:
        billed_s: whole milliseconds, of the init phase too.
        init_s: of a cold start; None on a warm one. max_memory_bytes: None where it is not reported.
        clock, step_s: what timed it, and in which steps it tells.
        amounts: telemetry of this invocation alone.
        limits: those in force, as witnesses; empty where the service does not say.
        parts: seconds by the name of the part of it that the function's own answer reports.
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


def reading(answer: dict[str, Any]) -> InvocationReading | None:
    """Read boto3's answer of an `invoke` with LogType=Tail; None where it reports no Duration."""
    if MEASURED in answer["ResponseMetadata"]["HTTPHeaders"]:
        try:
            return _of_header(answer)
        except msgspec.DecodeError:  # whoever wrote it, no Lambda of ours did
            return None
    return _of_report(base64.b64decode(answer.get("LogResult", "")).decode(errors="replace"))


def _of_header(answer: dict[str, Any]) -> InvocationReading:
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


def _of_report(log: str) -> InvocationReading | None:
    # The function may print what looks like one; Lambda's own line is the last.
    begin = log.rfind(BEGINS)
    try:
        reported = report_fields(log, begin) if begin >= 0 else {}
    except BadInput:
        return None
    if not {"duration", "billed"} <= reported.keys():
        return None
    init, memory = reported.get("init"), reported.get("used")
    return InvocationReading(reported["duration"], reported["billed"], init, memory, REPORT_CLOCK, REPORT_STEP_S)

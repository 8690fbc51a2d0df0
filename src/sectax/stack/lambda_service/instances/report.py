"""The platform's own lines in a function's log, in Lambda's form."""

from __future__ import annotations

import math

from sectax.model.bill import billed_s
from sectax.stack.lambda_service.instances.invocation import Measured


def start_line(request_id: str, version: str) -> str:
    """The line before the function's own."""
    return f"START RequestId: {request_id} Version: {version}\n"


def init_timeout_line(init_s: float) -> str:
    """The line of an init phase that did not end in its time."""
    return f"INIT_REPORT Init Duration: {init_s * 1e3:.2f} ms\tPhase: init\tStatus: timeout\n"


def end_line(request_id: str) -> str:
    """The line after the function's own."""
    return f"END RequestId: {request_id}\n"


def report_line(measured: Measured, memory_mb: int, status: str = "") -> str:
    """The line that bills are made of.

    Args:
        memory_mb: the function's memory.
        status: empty, "timeout", or the type of the error that ended the instance.
    """
    init_s = measured.init_s or 0.0
    fields = [
        f"REPORT RequestId: {measured.request_id}",
        f"Duration: {measured.duration_s * 1e3:.2f} ms",
        f"Billed Duration: {billed_s(measured.billed_time_s) * 1e3:.0f} ms",
        f"Memory Size: {memory_mb} MB",
    ]
    if measured.max_memory_bytes is not None:
        fields.append(f"Max Memory Used: {min(memory_mb, math.ceil(measured.max_memory_bytes / 2**20))} MB")
    if measured.init_s is not None:
        fields.append(f"Init Duration: {init_s * 1e3:.2f} ms")
    if status == "timeout":
        fields.append("Status: timeout")
    elif status:
        fields += ["Status: error", f"Error Type: {status}"]
    return "\t".join(fields) + "\t\n"

"""Failures of instances, with Lambda's messages."""

from __future__ import annotations

import signal

import msgspec

from lambda_local.http import Bytes


class InstanceFailure(Exception):
    """The instance failed.

    Attributes:
        error_type: as in Runtime.ExitError. words: the text after 'RequestId: … Error: '.
        payload: the runtime's own error as JSON; may be empty.
        status: the status in the REPORT line: the error type, or 'timeout'.
        reason: the reason of SHUTDOWN events: FAILURE or TIMEOUT.
    """

    def __init__(
        self, error_type: str, words: str, *, payload: Bytes = b"", status: str = "", reason: str = "FAILURE"
    ) -> None:
        super().__init__(words)
        self.error_type = error_type
        self.words = words
        self.payload = payload
        self.status = status or error_type
        self.reason = reason

    def for_caller(self, request_id: str) -> Bytes:
        error = {"errorType": self.error_type, "errorMessage": f"RequestId: {request_id} Error: {self.words}"}
        return self.payload or msgspec.json.encode(error)

    def for_log(self, request_id: str) -> str:
        return f"RequestId: {request_id} Error: {self.words}\n{self.error_type}\n"


class InvocationTimeout(InstanceFailure):
    def __init__(self, timeout_s: float) -> None:
        words = f"Task timed out after {timeout_s:.2f} seconds"
        super().__init__("Sandbox.Timedout", words, status="timeout", reason="TIMEOUT")


def init_too_slow(most_s: float) -> InstanceFailure:
    words = f"Init timed out after {most_s:.2f} seconds"
    return InstanceFailure("Sandbox.Timedout", words, status="timeout", reason="TIMEOUT")


def runtime_exited(status: int) -> InstanceFailure:
    """The runtime exited during an event or before its first request for one."""
    words = (
        f"Runtime exited with error: {exit_words(status)}" if status else "Runtime exited without providing a reason"
    )
    return InstanceFailure("Runtime.ExitError", words)


def extension_exited(status: int) -> InstanceFailure:
    return InstanceFailure("Extension.Crash", exit_words(status))


def exit_words(status: int) -> str:
    """Format an exit status as Lambda and Go's os/exec: 'exit status 1', 'signal: killed'."""
    if status >= 0:
        return f"exit status {status}"
    known = signal.strsignal(-status) if -status < signal.SIGRTMIN else None
    return f"signal: {known.lower() if known else -status}"

"""Invoke: run a function with an event and answer with its result."""

from __future__ import annotations

import base64

import msgspec

from lambda_local.api.errors import ApiError, invalid, too_large
from lambda_local.api.functions import Functions
from lambda_local.api.requests import Call
from lambda_local.function import LATEST
from lambda_local.http import Bytes
from lambda_local.instances.invocation import Invocation, InvocationOutcome
from lambda_local.instances.pool import Pool, TooManyInstances
from lambda_local.settings import PAYLOAD_BYTES

MEASURED_HEADER = "X-Lambda-Local-Measured"

_UNSUPPORTED = {
    "x-amz-client-context": "ClientContext",
    "x-amz-durable-execution-name": "DurableExecutionName",
    "x-amz-tenant-id": "TenantId",
}


async def invoke(functions: Functions, pool: Pool, call: Call) -> None:
    """Answer an Invoke. Raises `ApiError`, or `LambdaLocalError` if a sandbox cannot be created."""
    request = call.exchange.request
    if request.too_large or len(request.body) > PAYLOAD_BYTES:
        raise too_large(PAYLOAD_BYTES, "InvokeFunction")
    for header, member in _UNSUPPORTED.items():
        if header in request.headers:
            raise invalid(f"{member} is not supported by the local Lambda")
    kind = request.headers.get("x-amz-invocation-type", "RequestResponse")
    if kind != "RequestResponse":
        raise invalid(f"invocation type {kind[:100]!r} is not supported by the local Lambda: use RequestResponse")
    function = functions.function(call)  # a missing function is reported before an invalid event
    invocation = Invocation(_json(request.body), function.arn)
    runtime = await functions.runtime(function.runtime)
    try:
        outcome = await pool.invoke(function, runtime, invocation)
    except TooManyInstances as error:
        reason = "ConcurrentInvocationLimitExceeded"
        raise ApiError(429, "TooManyRequestsException", "Rate Exceeded.", Reason=reason) from error
    wants_log = request.headers.get("x-amz-log-type", "None") == "Tail"
    call.exchange.answer(200, outcome.payload, _headers(outcome, wants_log=wants_log))


def _json(body: Bytes) -> Bytes:
    if not body:
        return b"{}"
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        words = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        message = f"Could not parse request body into json: {words}"
        raise ApiError(400, "InvalidRequestContentException", message) from error
    return body


def _headers(outcome: InvocationOutcome, *, wants_log: bool) -> list[tuple[str, str]]:
    headers = [
        ("Content-Type", "application/json"),
        ("x-amzn-RequestId", outcome.measured.request_id),
        ("X-Amz-Executed-Version", LATEST),
        (MEASURED_HEADER, msgspec.json.encode(outcome.measured).decode()),
    ]
    if outcome.function_error is not None:
        headers.append(("X-Amz-Function-Error", outcome.function_error))
    if wants_log:
        headers.append(("X-Amz-Log-Result", base64.b64encode(outcome.log).decode()))
    return headers

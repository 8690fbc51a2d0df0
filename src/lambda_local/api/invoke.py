"""Invoke: hand an event to a function and answer what came of it."""

from __future__ import annotations

import base64

import msgspec

from lambda_local.api.call import Call
from lambda_local.api.catalogue import Catalogue
from lambda_local.api.errors import bad_event, invalid, too_large, too_many
from lambda_local.function import LATEST
from lambda_local.http import Bytes
from lambda_local.instances.invocation import Invocation, Outcome
from lambda_local.instances.pool import Pool, TooManyInstances
from lambda_local.settings import PAYLOAD_BYTES

MEASURED_HEADER = "X-Lambda-Local-Measured"

_NOT_HERE = {
    "x-amz-client-context": "ClientContext",
    "x-amz-durable-execution-name": "DurableExecutionName",
    "x-amz-tenant-id": "TenantId",
}


async def invoke(catalogue: Catalogue, pool: Pool, call: Call) -> None:
    """Answer an Invoke. Raises `ApiError`, and `LambdaLocalError` where a sandbox could not be made."""
    request, name = call.exchange.request, call.name()
    if request.too_large or len(request.body) > PAYLOAD_BYTES:
        raise too_large(PAYLOAD_BYTES, "InvokeFunction")
    for header, member in _NOT_HERE.items():
        if header in request.headers:
            raise invalid(f"{member} is not here")
    kind = request.headers.get("x-amz-invocation-type", "RequestResponse")
    if kind != "RequestResponse":
        raise invalid(f"invocation type {kind[:100]!r} is not here: only RequestResponse is")
    function = catalogue.function(name)  # its absence is reported before what is wrong with the event
    invocation = Invocation(_json(request.body), function.arn)
    runtime = catalogue.runtimes.get(function.runtime)
    while runtime is None:
        await catalogue.find_runtime(function.runtime)
        function = catalogue.function(name)  # it may be another by now
        runtime = catalogue.runtimes.get(function.runtime)
    try:
        outcome = await pool.invoke(function, runtime, invocation)
    except TooManyInstances as error:
        raise too_many() from error
    wants_log = request.headers.get("x-amz-log-type", "None") == "Tail"
    call.exchange.answer(200, outcome.payload, _headers(outcome, wants_log=wants_log))


def _json(body: Bytes) -> Bytes:
    if not body:
        return b"{}"
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise bad_event(str(error)) from error
    except RecursionError as error:
        raise bad_event("it is nested too deeply") from error
    return body


def _headers(outcome: Outcome, *, wants_log: bool) -> list[tuple[str, str]]:
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

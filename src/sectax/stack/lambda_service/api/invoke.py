"""Invoke: hands an event to an instance and answers what came of it."""

from __future__ import annotations

import base64
import binascii
import json

import msgspec

from sectax.stack.lambda_service.api.errors import ApiError, invalid, too_large, too_many
from sectax.stack.lambda_service.api.functions import Functions
from sectax.stack.lambda_service.function import LATEST
from sectax.stack.lambda_service.http import Exchange, Request
from sectax.stack.lambda_service.instances.invocation import Outcome
from sectax.stack.lambda_service.instances.pool import Pool, TooManyInstances
from sectax.stack.lambda_service.settings import PAYLOAD_BYTES

MEASURED_HEADER = "X-Sectax-Measured"

_CONTEXT_BYTES = 3583  # API reference, Invoke, ClientContext


async def invoke(functions: Functions, pool: Pool, given: str, exchange: Exchange) -> None:
    """Answer one Invoke. Raises `ApiError`."""
    request = exchange.request
    if request.too_large or len(request.body) > PAYLOAD_BYTES:
        raise too_large(PAYLOAD_BYTES, "InvokeFunction")
    function = functions.get(given)
    kind = request.headers.get("x-amz-invocation-type", "RequestResponse")
    event, context = _event(request.body), _client_context(request)
    if kind == "DryRun":
        exchange.answer(204)
        return
    if kind != "RequestResponse":
        raise invalid(f"invocation type {kind} is not here: only RequestResponse and DryRun are")
    runtime = await functions.runtime(function.runtime)
    try:
        outcome = await pool.invoke(function, runtime, event, context)
    except TooManyInstances as error:
        raise too_many() from error
    exchange.answer(200, outcome.payload, _headers(outcome, request))


def _event(body: bytes) -> bytes:
    if not body:
        return b"{}"
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"Could not parse request body into json: {error}"
        raise ApiError(400, "InvalidRequestContentException", message) from error
    return body


def _client_context(request: Request) -> str:
    given = request.headers.get("x-amz-client-context", "")
    if not given:
        return ""
    try:
        if len(given) > _CONTEXT_BYTES:
            raise ValueError("it is too long")
        # Written anew in ASCII, so that it can stand in a header and no line break in it ends that.
        return json.dumps(msgspec.json.decode(base64.b64decode(given, validate=True), type=dict[str, object]))
    except (binascii.Error, msgspec.DecodeError, ValueError) as error:
        message = f"Client context must be a valid Base64-encoded JSON object: {error}"
        raise ApiError(400, "InvalidRequestContentException", message) from error


def _headers(outcome: Outcome, request: Request) -> list[tuple[str, str]]:
    headers = [
        ("Content-Type", "application/json"),
        ("x-amzn-RequestId", outcome.measured.request_id),
        ("X-Amz-Executed-Version", LATEST),
        (MEASURED_HEADER, msgspec.json.encode(outcome.measured).decode()),
    ]
    if outcome.function_error is not None:
        headers.append(("X-Amz-Function-Error", outcome.function_error))
    if request.headers.get("x-amz-log-type", "None") == "Tail":
        headers.append(("X-Amz-Log-Result", base64.b64encode(outcome.log).decode()))
    return headers

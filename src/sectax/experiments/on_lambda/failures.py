"""Messages and hints for failures of functions and of the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from botocore import exceptions as trouble  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

from sectax.text.printable import printable


class UnexpectedAnswer(Exception):
    """The answer to `operation` is not a Lambda's; `words` describe it."""

    def __init__(self, operation: str, words: str) -> None:
        super().__init__(f"{operation}: {words}")
        self.operation = operation
        self.words = words


# All exceptions of a call through AWS's client within `reading_answer`.
SERVICE_ERRORS = (ClientError, BotoCoreError, ResponseParserError, UnexpectedAnswer)
# Exceptions of the client for answers that are not a Lambda's.
FORMAT_ERRORS = (ValueError, TypeError, AttributeError, LookupError)

_LONGEST = 300  # characters of a function's message
_LOG_LINES = 3


@contextmanager
def reading_answer(operation: str) -> Iterator[None]:
    """Raise `UnexpectedAnswer` if a call's answer cannot be read."""
    try:
        yield
    except FORMAT_ERRORS as error:
        raise UnexpectedAnswer(operation, f"{type(error).__name__}: {error}") from error


def is_lambdas_own(error: Exception) -> bool:
    """Return whether an error is the answer of a Lambda."""
    return isinstance(error, ClientError) and "x-amzn-errortype" in error.response["ResponseMetadata"]["HTTPHeaders"]


def endpoint_failure(error: Exception) -> tuple[str, str]:
    """As `call_failure`, for an address that may not be a Lambda."""
    match error:
        case trouble.NoCredentialsError() | trouble.ConnectionError() | trouble.ConnectionClosedError():
            return call_failure(error)
        case trouble.ReadTimeoutError():
            return "a server accepts connections but does not respond", "check --endpoint"
    return f"the server is not a Lambda: {printable(str(error), _LONGEST)}", "check --endpoint"


def call_failure(error: Exception) -> tuple[str, str]:
    """Return the message and hint of a call that failed before the function answered."""
    match error:
        case ClientError():
            details = error.response.get("Error", {})
            code, message = details.get("Code", "an error"), details.get("Message", "")
            return f"{error.operation_name} was refused: {code}: {message}", _REFUSED.get(code, _LOOK_UP)
        case trouble.NoCredentialsError():
            return "there are no credentials for this endpoint", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        case trouble.NoRegionError():
            return "no region is set", "set AWS_REGION"
        case trouble.ReadTimeoutError():
            return f"no answer in time: {error}", "use a --timeout shorter than that of the call"
        case trouble.ConnectionError() | trouble.ConnectionClosedError():
            return f"the service cannot be reached: {error}", "check that it is running, and --endpoint"
        case UnexpectedAnswer():
            details = printable(error.words, _LONGEST)
            return f"{error.operation} was not answered by a Lambda: {details}", "check --endpoint"
        case ResponseParserError():
            return "the server is not a Lambda: its answer cannot be read", "check --endpoint"
    return str(error), _LOOK_UP


_LOOK_UP = "see docs/lambda.md"
_REFUSED = {
    "InvalidRequestContentException": "an event must be JSON",
    "TooManyRequestsException": "the service throttles: raise its concurrency limit, or measure fewer treatments",
    "InvalidParameterValueException": "correct the configuration that it names",
    "AccessDeniedException": "the credentials lack a permission: docs/lambda.md lists them",
    "RequestEntityTooLargeException": "an event may have at most 6 MB",
}


def function_error(payload: str, log: str) -> tuple[str, str]:
    """Return the message and hint of a function that answered with an error."""
    try:
        details = msgspec.json.decode(payload, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError):
        details = {}
    kind, message = str(details.get("errorType", "an error")), str(details.get("errorMessage", payload))
    words = f"answered with {printable(kind, 100)}: {printable(message, _LONGEST)}"
    if "timed out" in message:
        return words, "raise --timeout, or give it more memory"
    if "signal: killed" in message:
        return words, "it may have run out of memory: give it more"
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith(_PLATFORM)]
    if lines:
        words += f"; end of its log: {printable(' | '.join(lines[-_LOG_LINES:]), _LONGEST)}"
    return words, "invoke it by hand with this event (sectax lambda serve)"


_PLATFORM = ("START RequestId:", "END RequestId:", "REPORT RequestId:", "INIT_START", "XRAY ")
